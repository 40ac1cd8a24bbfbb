import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { existingResources } from "../../../../ops/engine/recovery/interruptedCreations.ts";
import type { Resource } from "../../../../ops/engine/state/state.ts";
import { type AuthentikLists, startAuthentikLists } from "../../../helpers/authentikLists.ts";

type Lists = Parameters<typeof startAuthentikLists>[0];

const PROVIDER = "urn:pulumi:dev::gatehouse::pulumi:providers:authentik::authentik";
const many = (count: number, fields: (index: number) => object): Record<string, unknown>[] =>
  Array.from({ length: count }, (_, index) => ({ pk: index + 1, ...fields(index) }));

async function importExisting(
  lists: Lists,
  type: string,
  inputs: object,
): Promise<{ ids: (string | undefined)[]; requests: AuthentikLists["requests"] }> {
  const { url, requests, close } = await startAuthentikLists(lists);
  onTestFinished(close);
  return { ids: await idsAt(url, type, inputs), requests };
}

async function idsAt(url: string, type: string, inputs: object): Promise<(string | undefined)[]> {
  const provider = { urn: PROVIDER, id: "1", type: "pulumi:providers:authentik", inputs: { url, token: "t" } };
  const stack = { exportStack: () => Promise.resolve({ deployment: { resources: [provider] } }) } as unknown as Stack;
  const begun: Resource = { urn: "urn:x", type, provider: `${PROVIDER}::1`, inputs: { ...inputs } };
  return (await existingResources(stack, [begun])).map(({ id }) => id);
}

test("does not wait for a server that refuses the token", async () => {
  let received = 0;
  const server = createServer((_, response) => {
    received += 1;
    response.writeHead(403).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expect(idsAt(url, "authentik:index/outpost:Outpost", { name: "gatehouse" })).rejects.toThrow(
    `cannot determine whether the interrupted deployment created a authentik:index/outpost:Outpost at ${url}: `,
  );
  expect(received).toBe(1);
});

test.each<[string, string, string, string]>([
  ["authentik:index/providerProxy:ProviderProxy", "/providers/proxy/", "name__iexact", "wiki-localhost"],
  ["authentik:index/outpost:Outpost", "/outposts/instances/", "name__iexact", "gatehouse"],
  ["authentik:index/providerOauth2:ProviderOauth2", "/providers/oauth2/", "name", "grafana"],
])("finds the %s of that name by a filter that its list declares", async (type, path, filter, name) => {
  const others = many(150, (index) => ({ name: `${name}-${index}` }));
  const { ids, requests } = await importExisting({ [path]: [...others, { pk: 999, name }] }, type, { name });
  expect(ids).toEqual(["999"]);
  expect(requests).toEqual([`${path}?${filter}=${encodeURIComponent(name)}&page=1&page_size=100`]);
});

test("does not match a name that differs in case", async () => {
  const lists = { "/outposts/instances/": [{ pk: 1, name: "Gatehouse" }] };
  expect((await importExisting(lists, "authentik:index/outpost:Outpost", { name: "gatehouse" })).ids).toEqual([]);
});

test("finds a binding on a later page, because no filter accepts its group", async () => {
  const bindings = many(250, (index) => ({ target: "app", order: 0, group: `group-${index}` }));
  const inputs = { target: "app", order: 0, group: "group-249" };
  const { ids, requests } = await importExisting(
    { "/policies/bindings/": bindings },
    "authentik:index/policyBinding:PolicyBinding",
    inputs,
  );
  expect(ids).toEqual(["250"]);
  expect(requests.map((request) => /page=(\d+)/.exec(request)?.[1])).toEqual(["1", "2", "3"]);
});

test("finds a binding by the policy that it refers to", async () => {
  const bindings = [
    { pk: 1, target: "app", order: 0, group: "staff", policy: null },
    { pk: 2, target: "app", order: 0, group: null, policy: "members" },
  ];
  const found = async (inputs: object) => {
    const lists = { "/policies/bindings/": bindings };
    return (await importExisting(lists, "authentik:index/policyBinding:PolicyBinding", inputs)).ids;
  };
  expect(await found({ target: "app", order: 0, policy: "members" })).toEqual(["2"]);
  expect(await found({ target: "app", order: 0, group: "staff" })).toEqual(["1"]);
  expect(await found({ target: "app", order: 0, group: "members" })).toEqual([]);
});

test("finds no binding to an application that does not exist, for which authentik refuses the filter", async () => {
  const inputs = { target: "deleted", order: 0, policy: "members" };
  const { ids } = await importExisting({}, "authentik:index/policyBinding:PolicyBinding", inputs);
  expect(ids).toEqual([]);
});

test("fails if a filter is refused for another reason", async () => {
  const server = createServer((_, response) => void response.writeHead(400).end('{"order":["Enter a number."]}'));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expect(idsAt(url, "authentik:index/policyBinding:PolicyBinding", { target: "app", order: 0 })).rejects.toThrow(
    "/policies/bindings/ answers 400",
  );
});

describe("an object of the same name", () => {
  const of = (type: string) => `authentik:index/${type}`;
  const FLOWS = { authorization_flow: "a", invalidation_flow: "i" };
  const flows = { authorizationFlow: "a", invalidationFlow: "i" };

  test.each<[string, string, object, object, object]>([
    [
      of("user:User"),
      "/core/users/",
      { username: "x", type: "service_account", groups: ["1", "2"] },
      { username: "x", type: "service_account", groups: ["2", "1"] },
      { username: "x", type: "service_account", groups: [] },
    ],
    [
      of("application:Application"),
      "/core/applications/",
      { slug: "x", protocolProvider: 7 },
      { slug: "x", provider: 7 },
      { slug: "x", provider: null },
    ],
    [
      of("token:Token"),
      "/core/tokens/",
      { identifier: "x", user: 7 },
      { identifier: "x", user: 7 },
      { identifier: "x", user: 8 },
    ],
    [
      of("providerProxy:ProviderProxy"),
      "/providers/proxy/",
      { name: "x", externalHost: "http://x", ...flows },
      { name: "x", external_host: "http://x", ...FLOWS },
      { name: "x", external_host: "http://y", ...FLOWS },
    ],
    [
      of("providerOauth2:ProviderOauth2"),
      "/providers/oauth2/",
      { name: "x", ...flows },
      { name: "x", ...FLOWS },
      { name: "x", ...FLOWS, invalidation_flow: "default" },
    ],
    [
      of("propertyMappingProviderScope:PropertyMappingProviderScope"),
      "/propertymappings/provider/scope/",
      { name: "x", scopeName: "s", expression: "return {}" },
      { name: "x", scope_name: "s", expression: "return {}" },
      { name: "x", scope_name: "s", expression: "return None" },
    ],
    [
      of("policyExpression:PolicyExpression"),
      "/policies/expression/",
      { name: "x", expression: "return 1" },
      { name: "x", expression: "return 1" },
      { name: "x", expression: "return 2" },
    ],
    [
      of("outpost:Outpost"),
      "/outposts/instances/",
      { name: "x", protocolProviders: [1, 2] },
      { name: "x", providers: [2, 1] },
      { name: "x", providers: [3] },
    ],
  ])("is not imported if it is not of this stack: %s", async (type, path, inputs, own, foreign) => {
    const found = async (object: object) => {
      const { slug, identifier } = object as { slug?: string; identifier?: string };
      const { ids } = await importExisting({ [path]: [{ pk: 5, ...object }] }, type, inputs);
      return [slug ?? identifier ?? "5", ids] as const;
    };
    const [id, ids] = await found(own);
    expect(ids).toEqual([id]);
    expect((await found(foreign))[1]).toEqual([]);
  });
});
