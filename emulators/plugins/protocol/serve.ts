import { flushCompileCache } from "node:module";
import { promisify } from "node:util";

import * as grpc from "@grpc/grpc-js";
import any from "google-protobuf/google/protobuf/any_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import pluginProto from "@pulumi/pulumi/proto/plugin_pb.js";
import services from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import proto from "@pulumi/pulumi/proto/provider_pb.js";
import statusProto from "@pulumi/pulumi/proto/status_pb.js";

import { attach, type LogError } from "./engine.ts";
import { InitializationError } from "./plugin.ts";
import type { Change, Context, Plugin, Values } from "./plugin.ts";
import { decode, diffValues, encode, redact } from "./values.ts";
import type { Decoded, Path } from "./values.ts";

const MESSAGE_LIMIT = 400 * 1024 * 1024;

/** Runs the plugin for the engine that started this process, whose address is the first argument, and ends with it. */
export async function serve(plugin: Plugin): Promise<void> {
  const engine = process.argv[2];
  const { port } = await listen(plugin, engine === undefined ? undefined : attach(engine));
  console.log(port);
  // Node.js writes it at the end of a process, and the engine kills its plugins.
  flushCompileCache();
}

/** Serves the plugin on a free loopback port. @param log of the engine; default: errors are not logged */
export async function listen(
  plugin: Plugin,
  log: LogError = () => Promise.resolve(),
): Promise<{ port: number; close(): void }> {
  const server = new grpc.Server({ "grpc.max_receive_message_length": MESSAGE_LIMIT });
  server.addService(services.ResourceProviderService, handlers(plugin, log));
  const bind = promisify(server.bindAsync.bind(server));
  const port = await bind("127.0.0.1:0", grpc.ServerCredentials.createInsecure());
  return { port, close: () => server.forceShutdown() };
}

/** The calls of the provider protocol; the engine gets "unimplemented" for the others. */
function handlers(plugin: Plugin, log: LogError): grpc.UntypedServiceImplementation {
  const cancelled = new AbortController();
  let config: Decoded = { values: {}, secrets: [] };

  /** Answers one call. Whatever was secret in what `open` decoded, or in the configuration, is kept out of the text of an error. */
  function handle<Request, Response>(run: (request: Request, open: typeof decode) => Response | Promise<Response>) {
    return (call: { request: Request }, callback: grpc.sendUnaryData<Response>): void => {
      const opened: Decoded[] = [];
      const open = (message: Struct | undefined): Decoded => {
        const decoded = decode(message);
        opened.push(decoded);
        return decoded;
      };
      const answer = async (): Promise<Response> => run(call.request, open);
      answer().then(
        (response) => callback(null, response),
        async (error: unknown) => {
          const status = failure(error, opened, [...opened, config]);
          if (plugin.logsErrors !== true) return callback(status);
          const urn = (call.request as Partial<proto.CreateRequest>).getUrn?.() ?? "";
          await log(`[ERROR] : ${status.details}`, urn);
          callback(call.request instanceof proto.InvokeRequest ? { ...status, details: "" } : status);
        },
      );
    };
  }

  const context = (request: proto.CreateRequest | proto.UpdateRequest | proto.DeleteRequest): Context => ({
    preview: "getPreview" in request && request.getPreview(),
    urn: request.getUrn(),
    timeout: request.getTimeout(),
    signal: cancelled.signal,
  });

  return {
    handshake: handle(() => new proto.ProviderHandshakeResponse().setAcceptSecrets(true)),
    getPluginInfo: handle(() => new pluginProto.PluginInfo().setVersion(plugin.version)),
    cancel: handle(() => {
      cancelled.abort(new Error("the run was cancelled"));
      return new empty.Empty();
    }),
    getSchema: handle(() => new proto.GetSchemaResponse().setSchema("{}")),

    parameterize: handle((request: proto.ParameterizeRequest) => {
      if (!plugin.parameterize) throw new Error(`the plugin "${plugin.name}" takes no parameter`);
      const { name, version } = plugin.parameterize({ value: request.getValue()?.getValue_asU8() });
      return new proto.ParameterizeResponse().setName(name).setVersion(version);
    }),

    checkConfig: handle((request: proto.CheckRequest) => new proto.CheckResponse().setInputs(request.getNews())),
    diffConfig: handle((request: proto.DiffRequest, open) => {
      const olds = open(request.getOldInputs() ?? request.getOlds()).values;
      const detailed = diffValues(olds, open(request.getNews()).values);
      const replaces = Object.keys(detailed).filter((name) => name === plugin.identity && detailed[name] === "update");
      return diffResponse({ changes: Object.keys(detailed).length > 0, replaces, detailed }).setHasdetaileddiff(false);
    }),
    configure: handle(async (request: proto.ConfigureRequest, open) => {
      config = open(request.getArgs());
      await plugin.configure(config.values);
      return new proto.ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true);
    }),

    check: handle(async (request: proto.CheckRequest, open) => {
      const news = open(request.getNews());
      const olds = given(open(request.getOlds()).values);
      const { inputs, failures } = await plugin.check(request.getType(), olds, news.values, request.getUrn());
      const problems = failures.map(({ property, reason }) =>
        new proto.CheckFailure().setProperty(property).setReason(redact(reason, [news, config])),
      );
      return new proto.CheckResponse().setInputs(encode(inputs, news.secrets)).setFailuresList(problems);
    }),
    diff: handle(async (request: proto.DiffRequest, open) => {
      const state = open(request.getOlds()).values;
      const olds = open(request.getOldInputs()).values;
      const news = open(request.getNews()).values;
      return diffResponse(await plugin.diff(request.getType(), request.getId(), olds, state, news));
    }),
    create: handle(async (request: proto.CreateRequest, open) => {
      const { values, secrets } = open(request.getProperties());
      const { id, state } = await plugin.create(request.getType(), values, context(request));
      return new proto.CreateResponse().setId(id).setProperties(encode(state, copied(secrets)));
    }),
    read: handle(async (request: proto.ReadRequest, open) => {
      const olds = open(request.getInputs());
      const state = open(request.getProperties());
      const found = await plugin.read(request.getType(), request.getId(), given(olds.values), given(state.values));
      if (!found) return new proto.ReadResponse();
      return new proto.ReadResponse()
        .setId(found.id)
        .setInputs(encode(found.inputs, olds.secrets))
        .setProperties(encode(found.state, copied([...olds.secrets, ...state.secrets])));
    }),
    update: handle(async (request: proto.UpdateRequest, open) => {
      const state = open(request.getOlds()).values;
      const { values, secrets } = open(request.getNews());
      const updated = await plugin.update(request.getType(), request.getId(), state, values, context(request));
      return new proto.UpdateResponse().setProperties(encode(updated, copied(secrets)));
    }),
    delete: handle(async (request: proto.DeleteRequest, open) => {
      const { values } = open(request.getProperties());
      await plugin.delete(request.getType(), request.getId(), values, context(request));
      return new empty.Empty();
    }),
    invoke: handle(async (request: proto.InvokeRequest, open) => {
      if (!plugin.invoke) throw new Error(`the plugin "${plugin.name}" has no function "${request.getTok()}"`);
      const { values, secrets } = open(request.getArgs());
      return new proto.InvokeResponse().setReturn(encode(await plugin.invoke(request.getTok(), values), secrets));
    }),
  };
}

/** The engine sends an empty message where there is nothing yet. */
function given(values: Values): Values | undefined {
  return Object.keys(values).length === 0 ? undefined : values;
}

/** Where secrets are in a state, which may contain a copy of the inputs. */
function copied(secrets: readonly Path[]): Path[] {
  return [...secrets, ...secrets.map((path) => ["__inputs", ...path])];
}

function diffResponse(change: Change): proto.DiffResponse {
  const { DIFF_SOME, DIFF_NONE } = proto.DiffResponse.DiffChanges;
  const response = new proto.DiffResponse()
    .setChanges(change.changes ? DIFF_SOME : DIFF_NONE)
    .setReplacesList([...change.replaces])
    .setDeletebeforereplace(change.deleteBeforeReplace ?? false)
    .setHasdetaileddiff(true)
    .setDiffsList([...new Set(Object.keys(change.detailed).map((path) => path.split(/[.[]/)[0] ?? path))]);
  for (const [path, kind] of Object.entries(change.detailed)) {
    const name = kind.toUpperCase().replace("-", "_") as keyof typeof proto.PropertyDiff.Kind;
    const found = new proto.PropertyDiff().setKind(proto.PropertyDiff.Kind[name]);
    response.getDetaileddiffMap().set(path, found.setInputdiff(kind.startsWith("delete")));
  }
  return response;
}

function failure(
  error: unknown,
  opened: readonly Decoded[],
  secretive: readonly Decoded[],
): Partial<grpc.StatusObject> {
  const details = redact(error instanceof Error ? error.message : String(error), secretive);
  const metadata = new grpc.Metadata();
  if (error instanceof InitializationError) {
    const secrets = opened.flatMap((decoded) => decoded.secrets);
    const failed = new proto.ErrorResourceInitFailed()
      .setId(error.id)
      .setProperties(encode(error.state, copied(secrets)))
      .setInputs(error.inputs && encode(error.inputs, secrets))
      .setReasonsList(error.reasons.map((reason) => redact(reason, secretive)));
    const packed = new any.Any();
    packed.pack(failed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
    const status = new statusProto.Status().setCode(grpc.status.UNKNOWN).setMessage(details);
    status.addDetails(packed);
    metadata.add("grpc-status-details-bin", Buffer.from(status.serializeBinary()));
  }
  return { code: grpc.status.UNKNOWN, details, metadata };
}
