import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { Secret, UNKNOWN } from "../../plugins/protocol/plugin.ts";
import type { Values } from "../../plugins/protocol/plugin.ts";
import { CONTEXT, openScene } from "./authentikServer.ts";
import type { Answer, Scene } from "./authentikServer.ts";

const ID = "3fff5949-d861-5777-b556-bc8105853766";

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.close());

describe("a read", () => {
  const GROUP = "authentik:index/group:Group";

  test("imports the object by the engine's id without a state", async () => {
    scene.answer = () => ({ status: 200, body: JSON.stringify({ pk: ID, name: "g" }) });
    expect((await scene.plugin.read(GROUP, ID, {}, {}))?.id).toBe(ID);
    expect(scene.sent.map(({ path }) => path)).toEqual([`/api/v3/core/groups/${ID}/`]);
  });

  test("sends no request for a state without the object's id, and reports the object as deleted", async () => {
    expect(await scene.plugin.read(GROUP, ID, { name: "g" }, { name: "g" })).toBeUndefined();
    expect(scene.sent).toEqual([]);
  });
});

describe("errors", () => {
  const GROUP = "authentik:index/group:Group";
  const state = { name: "g", groupId: ID };
  const where = `/api/v3/core/groups/`;
  const operations = {
    create: { call: `POST ${where}`, run: () => scene.plugin.create(GROUP, { name: "g" }, CONTEXT) },
    refresh: { call: `GET ${where}${ID}/`, run: () => scene.plugin.read(GROUP, ID, state, state) },
    update: { call: `PUT ${where}${ID}/`, run: () => scene.plugin.update(GROUP, ID, state, { name: "h" }, CONTEXT) },
    delete: { call: `DELETE ${where}${ID}/`, run: () => scene.plugin.delete(GROUP, ID, state, CONTEXT) },
    lookup: {
      call: "GET /api/v3/flows/instances/",
      run: () => scene.plugin.invoke?.("authentik:index/getFlow:getFlow", { slug: "x" }),
    },
  };
  const ALL = ["create", "refresh", "update", "delete", "lookup"] as const;

  test.each<[string, Answer, string]>([
    ["400", { status: 400, body: '{"name":["exists"]}' }, "400 Bad Request"],
    ["403", { status: 403, body: '{"detail":"Token invalid/expired"}' }, "403 Forbidden  (Token invalid/expired)"],
    ["302", { status: 302, body: "" }, "302 Found"],
    ["500", { status: 500, body: "<h1>Server Error (500)</h1>", type: "text/html" }, "500 Internal Server Error"],
    ["503", { status: 503, body: '{"error":"authentik starting"}' }, "503 Service Unavailable"],
  ])("%s fails every call, after one request", async (_status, given, reason) => {
    scene.answer = () => given;
    for (const name of ALL) {
      scene.sent = [];
      const message = `HTTP Error '${reason}' during request '${operations[name].call}': "${given.body}"`;
      await expect(operations[name].run(), name).rejects.toThrow(new Error(message));
      expect(scene.sent.length).toBe(1);
    }
  });

  test.each<[string, Answer, string, string]>([
    [
      "a server that is starting",
      { status: 200, body: '{"error":"authentik starting"}' },
      "no value given for required property pk",
      "no value given for required property pagination",
    ],
    [
      "a page instead of JSON",
      { status: 200, body: "<html></html>", type: "text/html" },
      "undefined response type",
      "undefined response type",
    ],
  ])("%s fails every call except a delete", async (_what, given, reason, ofList) => {
    scene.answer = () => given;
    for (const name of ["create", "refresh", "update", "lookup"] as const) {
      const message = `HTTP Error '${name === "lookup" ? ofList : reason}' during request '${operations[name].call}': "${given.body}"`;
      await expect(operations[name].run(), name).rejects.toThrow(new Error(message));
    }
    await operations.delete.run();
  });

  test("fails create and update for a 404, and treats the object as missing in other calls", async () => {
    scene.answer = () => ({ status: 404, body: '{"detail":"Not found."}' });
    const message =
      "Internal error: DecodePropertyMap expected the decoder to return an Object.\n" +
      "Please report to https://github.com/pulumi/pulumi-terraform-bridge/issues";
    await expect(operations.create.run()).rejects.toThrow(new Error(message));
    await expect(operations.update.run()).rejects.toThrow(new Error(message));
    expect(await operations.refresh.run()).toBeUndefined();
    expect(await operations.lookup.run()).toEqual({});
    await operations.delete.run();
  });

  test("fails calls, not the configuration, if the server is unreachable", async () => {
    scene.close();
    const { host } = new URL(scene.url);
    await scene.plugin.configure({ url: scene.url, token: "t0ken" });
    const message = `HTTP Error 'POST "${scene.url}/api/v3/core/groups/": connect ECONNREFUSED ${host}' without http response`;
    await expect(operations.create.run()).rejects.toThrow(new Error(message));
  });
});

describe("configuration, checks and previews", () => {
  const PROXY = "authentik:index/providerProxy:ProviderProxy";

  test("sends the token, and one request for the configuration", async () => {
    const requested: string[] = [];
    scene.answer = ({ method, path }) => {
      requested.push(`${method} ${path}`);
      return { status: 500, body: "" };
    };
    await scene.plugin.configure({ url: `${scene.url}/sub/api/v3`, token: "t0ken" });
    expect(requested).toEqual(["GET /sub/api/v3/root/config/"]);
    expect(scene.headers).toMatchObject({
      accept: "application/json",
      "accept-encoding": "gzip",
      authorization: "Bearer t0ken",
      "user-agent": "authentik-terraform@2026.5.0",
    });
  });

  test("sends nothing while url or token is unknown, in lookups and previews", async () => {
    const unknown: Values[] = [
      { url: UNKNOWN, token: "t" },
      { url: scene.url, token: UNKNOWN },
    ];
    for (const config of unknown) {
      await scene.plugin.configure(config);
      expect(await scene.plugin.invoke?.("authentik:index/getFlow:getFlow", { slug: "x" })).toEqual(
        Object.fromEntries(["authentication", "designation", "id", "name", "slug", "title"].map((it) => [it, UNKNOWN])),
      );
      const preview = { ...CONTEXT, preview: true };
      const { id, state } = await scene.plugin.create(PROXY, { name: "w", authorizationFlow: UNKNOWN }, preview);
      expect([id, state.clientId, state.providerProxyId, state.mode]).toEqual(["", UNKNOWN, UNKNOWN, "proxy"]);
    }
    expect(scene.sent).toEqual([]);
  });

  test.each<[string, Values, string, string]>([
    [
      "providerProxy:ProviderProxy",
      { mode: "weird" },
      "mode",
      'expected mode to be one of ["proxy" "forward_single" "forward_domain"], got weird',
    ],
    [
      "providerProxy:ProviderProxy",
      { accessTokenValidity: "10" },
      "accessTokenValidity",
      "10 has incorrect amount of elements",
    ],
    [
      "providerProxy:ProviderProxy",
      { accessTokenValidity: "eons=1" },
      "accessTokenValidity",
      "eons=1 has incorrect key eons",
    ],
    ["group:Group", { attributes: "{" }, "attributes", "it is not JSON text; write it with JSON.stringify"],
    [
      "providerOauth2:ProviderOauth2",
      { allowedRedirectUris: [{ url: "x" }] },
      "allowedRedirectUris",
      "each redirect URI needs matching_mode and url",
    ],
    ["group:Group", { nmae: "x" }, "nmae", 'the emulated plugin does not support "nmae"'],
  ])("refuses %s %j", async (type, input, property, reason) => {
    const news = { name: "x", ...input };
    const result = await scene.plugin.check?.(`authentik:index/${type}`, undefined, news, CONTEXT.urn);
    expect(result).toEqual({ inputs: news, failures: [{ property, reason }] });
  });

  test("removes a user from all groups with an empty list, and from none without a list", async () => {
    const state = { userId: "5", username: "u", name: "U", groups: [ID] };
    const news = { username: "u", name: "U" };
    scene.answer = () => ({ status: 200, body: '{"pk":5}' });
    const groupsSent = async (inputs: Values): Promise<unknown> => {
      scene.sent = [];
      await scene.plugin.update("authentik:index/user:User", "5", state, inputs, CONTEXT);
      return scene.sent[0]?.body?.groups;
    };
    expect(await groupsSent({ ...news, groups: [] })).toEqual([]);
    expect(await groupsSent(news)).toEqual([ID]);
  });

  test("generates a name once for a resource without one", async () => {
    const check = (olds: Values | undefined) =>
      scene.plugin.check?.("authentik:index/user:User", olds, { username: "u" }, "urn:pulumi:s::p::t::u");
    const first = await check(undefined);
    expect(first?.inputs.name).toMatch(/^u-[0-9a-f]{7}$/);
    expect((await check(first?.inputs))?.inputs).toEqual(first?.inputs);
  });

  test("marks passwords, tokens and client secrets as secrets", async () => {
    scene.answer = ({ path }) => ({
      status: 200,
      body: JSON.stringify({ pk: 1, client_secret: "c", key: "k", user_obj: {}, identifier: "i", path }),
    });
    const state = async (type: string, inputs: Values): Promise<Values> =>
      (await scene.plugin.create(`authentik:index/x:${type}`, { name: "x", ...inputs }, CONTEXT)).state;
    expect((await state("User", { password: "p" })).password).toEqual(new Secret("p"));
    expect((await state("ProviderOauth2", {})).clientSecret).toEqual(new Secret("c"));
    expect((await state("Token", { retrieveKey: true })).key).toEqual(new Secret("k"));
  });

  test("is accepted for the generated SDK only", () => {
    const value = Buffer.from(
      JSON.stringify({ remote: { url: "registry.opentofu.org/goauthentik/authentik", version: "2026.5.0" } }),
    );
    expect(scene.plugin.parameterize?.({ value })).toEqual({ name: "authentik", version: "2026.5.0" });
    const other = Buffer.from('{"remote":{"url":"hashicorp/random","version":"1.0.0"}}');
    expect(() => scene.plugin.parameterize?.({ value: other })).toThrow(
      "the emulated plugin supports goauthentik/authentik 2026.5.0 only, not hashicorp/random 1.0.0",
    );
  });
});
