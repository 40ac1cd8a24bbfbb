import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { expect, onTestFinished, test } from "vitest";
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
  const provider = { urn: PROVIDER, id: "1", type: "pulumi:providers:authentik", inputs: { url, token: "t" } };
  const stack = { exportStack: () => Promise.resolve({ deployment: { resources: [provider] } }) } as unknown as Stack;
  const begun: Resource = { urn: "urn:x", type, provider: `${PROVIDER}::1`, inputs: { ...inputs } };
  return { ids: (await existingResources(stack, [begun])).map(({ id }) => id), requests };
}

test.each<[string, string, string, string]>([
  ["authentik:index/providerProxy:ProviderProxy", "/providers/proxy/", "name__iexact", "wiki-localhost"],
  ["authentik:index/outpost:Outpost", "/outposts/instances/", "name__iexact", "gatehouse"],
  ["authentik:index/providerOauth2:ProviderOauth2", "/providers/oauth2/", "name", "grafana"],
  ["authentik:index/blueprint:Blueprint", "/managed/blueprints/", "name", "gatehouse-settings"],
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
