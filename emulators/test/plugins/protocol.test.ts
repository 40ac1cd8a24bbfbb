import { credentials } from "@grpc/grpc-js";
import type { ServiceError } from "@grpc/grpc-js";
import services from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import proto from "@pulumi/pulumi/proto/provider_pb.js";
import statusProto from "@pulumi/pulumi/proto/status_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { InitializationError, Secret, UNKNOWN } from "../../plugins/protocol/plugin.ts";
import type { Context, Plugin, Value, Values } from "../../plugins/protocol/plugin.ts";
import { listen } from "../../plugins/protocol/serve.ts";
import { decode, diffValues, encode } from "../../plugins/protocol/values.ts";

const contexts: Context[] = [];

function text(value: Value | undefined): string {
  return typeof value === "string" ? value : "nothing";
}

/** A shelf of jars: what is created comes back with its size, what is secret stays secret. */
const shelf: Plugin = {
  name: "shelf",
  version: "1.2.3",
  configure: (config) =>
    config.door === "locked"
      ? Promise.reject(new Error(`the key ${text(config.key)} does not fit`))
      : Promise.resolve(),
  identity: "room",
  check: (_type, _olds, news) => Promise.resolve({ inputs: news, failures: [] }),
  diff: (_type, _id, olds, _state, news) => {
    const detailed = diffValues(olds, news);
    const replaces = "label" in detailed ? ["label"] : [];
    return Promise.resolve({
      changes: Object.keys(detailed).length > 0,
      replaces,
      detailed: { ...detailed, ...("label" in detailed && { label: "update-replace" as const }) },
      deleteBeforeReplace: replaces.length > 0,
    });
  },
  create: (_type, inputs, context) => {
    contexts.push(context);
    if (inputs.label === "cracked") throw new InitializationError("jar-2", inputs, [`${text(inputs.content)} leaks`]);
    if (inputs.label === "too large") return Promise.reject(new Error(`no room for ${text(inputs.content)}`));
    return Promise.resolve({ id: "jar-1", state: { ...inputs, seal: new Secret({ wax: "red" }), gone: undefined } });
  },
  read: (_type, id, inputs, state) =>
    Promise.resolve(id === "jar-0" ? undefined : { id, inputs: inputs ?? { imported: true }, state: state ?? {} }),
  update: (_type, _id, _state, news) => Promise.resolve(news),
  delete: () => Promise.resolve(),
};

let server: { port: number; close(): void };
let client: InstanceType<typeof services.ResourceProviderClient>;

beforeAll(async () => {
  server = await listen(shelf);
  client = new services.ResourceProviderClient(`127.0.0.1:${server.port}`, credentials.createInsecure());
});

afterAll(() => {
  client.close();
  server.close();
});

type Callback<Response> = (error: ServiceError | null, response: Response) => void;

function call<Response>(start: (callback: Callback<Response>) => unknown): Promise<Response> {
  return new Promise((resolve, reject) => {
    start((error, response) => (error ? reject(error) : resolve(response)));
  });
}

function create(properties: Values): Promise<proto.CreateResponse> {
  const request = new proto.CreateRequest()
    .setUrn("urn:jar")
    .setTimeout(7)
    .setPreview(true)
    .setProperties(encode(properties));
  return call((done) => client.create(request, done));
}

describe("values on the wire", () => {
  it("keeps unknowns, and records the paths of secrets", () => {
    const sent: Values = {
      name: UNKNOWN,
      list: [1, { deep: new Secret("x") }],
      none: null,
      token: new Secret(UNKNOWN),
    };
    expect(decode(encode(sent))).toEqual({
      values: { name: UNKNOWN, list: [1, { deep: "x" }], none: null, token: UNKNOWN },
      secrets: [["list", 1, "deep"], ["token"]],
    });
  });

  it("reads an output value, secret and known or not", () => {
    const output = (fields: Values): Values => ({
      "4dabf18193072939515e22adb298388d": "d0e6a833031e9bbcd3f4e8bde6ca49a4",
      ...fields,
    });
    expect(decode(encode({ a: output({ value: "x", secret: true }), b: output({ dependencies: [] }) }))).toEqual({
      values: { a: "x", b: UNKNOWN },
      secrets: [["a"]],
    });
  });

  it("does not nest secrets", () => {
    const marked = encode({ data: new Secret({ key: new Secret("x") }) }, [
      ["data", "key"],
      ["data"],
      ["absent", "key"],
    ]);
    expect(decode(marked)).toEqual({ values: { data: { key: "x" } }, secrets: [["data"]] });
  });
});

describe("diffValues", () => {
  it.each<[string, Values, Values, Record<string, string>]>([
    ["nothing, whatever the order of keys", { a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 }, {}],
    [
      "an item of a list",
      { spec: { rules: [{ match: "a" }] } },
      { spec: { rules: [{ match: "b" }] } },
      { "spec.rules[0].match": "update" },
    ],
    ["a key with dots", { m: { "a.b/c": "1" } }, { m: { "a.b/c": "2" } }, { 'm["a.b/c"]': "update" }],
    ["a whole branch", { old: { x: 1 } }, { new: { y: [1] } }, { old: "delete", new: "add" }],
    [
      "a list that grows and one that shrinks",
      { a: [1], b: [1, 2] },
      { a: [1, 2], b: [1] },
      { "a[1]": "add", "b[1]": "delete" },
    ],
    ["another kind of value", { a: [1] }, { a: { b: 1 } }, { a: "update" }],
    ["what is not known yet", { a: 1 }, { a: UNKNOWN, b: UNKNOWN }, { a: "update", b: "add" }],
  ])("returns %s", (_name, olds, news, expected) => {
    expect(diffValues(olds, news)).toEqual(expected);
  });
});

describe("a plugin that logs errors", () => {
  it("returns the error of a resource as well, and that of a lookup without text", async () => {
    const logged: string[] = [];
    const log = (message: string, urn: string): Promise<void> => Promise.resolve(void logged.push(`${urn} ${message}`));
    const invoke = (): Promise<Values> => Promise.reject(new Error("no jar"));
    const logging = await listen({ ...shelf, logsErrors: true, invoke }, log);
    const other = new services.ResourceProviderClient(`127.0.0.1:${logging.port}`, credentials.createInsecure());
    const properties = encode({ label: "too large", content: "plums" });
    const request = new proto.CreateRequest().setUrn("urn:jar").setProperties(properties);
    await expect(call((done) => other.create(request, done))).rejects.toMatchObject({ details: "no room for plums" });
    await expect(call((done) => other.invoke(new proto.InvokeRequest(), done))).rejects.toMatchObject({ details: "" });
    expect(logged).toEqual(["urn:jar [ERROR] : no room for plums", " [ERROR] : no jar"]);
    other.close();
    logging.close();
  });
});

describe("the server", () => {
  it("returns its version, and accepts secrets", async () => {
    const shaken = await call<proto.ProviderHandshakeResponse>((done) =>
      client.handshake(new proto.ProviderHandshakeRequest(), done),
    );
    const info = await call<{ getVersion(): string }>((done) => client.getPluginInfo(new empty.Empty(), done));
    expect([shaken.getAcceptSecrets(), info.getVersion()]).toEqual([true, "1.2.3"]);
  });

  it("marks secrets of the inputs and of the plugin", async () => {
    const created = await create({ content: new Secret("plum jam"), size: 2, lid: UNKNOWN });
    expect(created.getId()).toBe("jar-1");
    expect(decode(created.getProperties())).toEqual({
      values: { content: "plum jam", size: 2, lid: UNKNOWN, seal: { wax: "red" } },
      secrets: [["content"], ["seal"]],
    });
    expect(contexts.at(-1)).toMatchObject({ preview: true, urn: "urn:jar", timeout: 7 });
  });

  it("removes secrets from an error", async () => {
    await expect(create({ label: "too large", content: new Secret("plum jam") })).rejects.toMatchObject({
      details: "no room for [secret]",
    });
    const config = encode({ door: "locked", key: new Secret("s3same") });
    const configured = call((done) => client.configure(new proto.ConfigureRequest().setArgs(config), done));
    await expect(configured).rejects.toMatchObject({ details: "the key [secret] does not fit" });
  });

  it("returns the state of an object that exists but is not ready", async () => {
    const error = await create({ label: "cracked", content: new Secret("plum jam") }).catch(
      (reason: unknown) => reason,
    );
    const [packed] = (error as ServiceError).metadata.get("grpc-status-details-bin");
    const [detail] = statusProto.Status.deserializeBinary(packed as Buffer).getDetailsList();
    expect(detail?.getTypeName()).toBe("pulumirpc.ErrorResourceInitFailed");
    const failed = proto.ErrorResourceInitFailed.deserializeBinary(detail?.getValue_asU8() ?? new Uint8Array());
    expect([failed.getId(), failed.getReasonsList()]).toEqual(["jar-2", ["[secret] leaks"]]);
    expect(decode(failed.getProperties()).secrets).toEqual([["content"]]);
  });

  it("returns each change with its path and kind", async () => {
    const request = new proto.DiffRequest().setOldInputs(encode({ label: "a", lids: [1] }));
    request.setNews(encode({ label: "b", lids: [1, 2] }));
    const diff = await call<proto.DiffResponse>((done) => client.diff(request, done));
    expect(diff.toObject()).toMatchObject({
      changes: proto.DiffResponse.DiffChanges.DIFF_SOME,
      replacesList: ["label"],
      diffsList: ["label", "lids"],
      deletebeforereplace: true,
      hasdetaileddiff: true,
      detaileddiffMap: [
        ["label", { kind: proto.PropertyDiff.Kind.UPDATE_REPLACE, inputdiff: false }],
        ["lids[1]", { kind: proto.PropertyDiff.Kind.ADD, inputdiff: false }],
      ],
    });
  });

  it("distinguishes a refresh, an import and a missing object", async () => {
    const read = (request: proto.ReadRequest): Promise<proto.ReadResponse> =>
      call((done) => client.read(request, done));
    const jam = encode({ content: new Secret("plum jam") });
    const refreshed = await read(new proto.ReadRequest().setId("jar-1").setInputs(jam).setProperties(jam));
    const imported = await read(new proto.ReadRequest().setId("jar-3"));
    const missing = await read(new proto.ReadRequest().setId("jar-0"));
    expect(decode(refreshed.getInputs()).secrets).toEqual([["content"]]);
    expect(decode(refreshed.getProperties()).secrets).toEqual([["content"]]);
    expect(decode(imported.getInputs()).values).toEqual({ imported: true });
    expect(missing.getId()).toBe("");
  });

  it("marks secrets in the checked inputs", async () => {
    const request = new proto.CheckRequest().setNews(encode({ content: new Secret("plum jam") }));
    const checked = await call<proto.CheckResponse>((done) => client.check(request, done));
    expect(decode(checked.getInputs())).toEqual({ values: { content: "plum jam" }, secrets: [["content"]] });
  });

  it("replaces everything when the configuration names another system, and only then", async () => {
    const changed = async (olds: Values, news: Values): Promise<string[]> => {
      const request = new proto.DiffRequest().setOldInputs(encode(olds)).setNews(encode(news));
      const answer = await call<proto.DiffResponse>((done) => client.diffConfig(request, done));
      expect(answer.getChanges()).toBe(proto.DiffResponse.DiffChanges.DIFF_SOME);
      return answer.getReplacesList();
    };
    expect(await changed({ room: "cellar", door: "red" }, { room: "attic", door: "red" })).toEqual(["room"]);
    expect(await changed({ room: "cellar", door: "red" }, { room: "cellar", door: "blue" })).toEqual([]);
    expect(await changed({}, { room: "cellar" })).toEqual([]);
  });

  it("refuses a parameter and a component", async () => {
    await expect(call((done) => client.parameterize(new proto.ParameterizeRequest(), done))).rejects.toMatchObject({
      details: 'the plugin "shelf" takes no parameter',
    });
    await expect(call((done) => client.construct(new proto.ConstructRequest(), done))).rejects.toMatchObject({
      code: 12,
    });
  });

  it("aborts running calls when the run is cancelled", async () => {
    await call((done) => client.cancel(new empty.Empty(), done));
    expect(contexts.at(-1)?.signal.aborted).toBe(true);
  });
});
