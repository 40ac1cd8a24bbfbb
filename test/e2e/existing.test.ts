/** A stack that installs no identity provider and uses one that is there: here the one of another stack on the same cluster. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { IDENTITY_HEADERS } from "../../infra/identity/headers.ts";
import { receivedHeaders } from "../../ops/checks/verify/echo.ts";
import { signIn } from "../../ops/clients/signIn.ts";
import { arrived, told, withClient } from "../domains/world.ts";
import { type Config, common, deployEcho, GAST, INGE, listed, service } from "./ownPlatform.ts";
import { type OwnPlatform, type OwnStack, startOwnPlatform } from "./ownPlatform.ts";

const SERVER = { name: "authentik-server", namespace: "authentik" };
const KINDS = ["ingressroutes", "middlewares"];

let own: OwnPlatform;
let first: OwnStack;
let second: OwnStack;
/** Address of the identity provider's Service. */
let address: string;

beforeAll(async () => {
  own = await startOwnPlatform();
  first = await own.open("first");
  await first.up(own.installed([service("first")], domains()));
  for (const person of [INGE, GAST]) await own.administrator.create(person);
  const { spec } = await own.core.readNamespacedService(SERVER);
  address = `http://${spec?.clusterIP}:9000`;
  await deployEcho(own.platform, "second");
  second = await own.open("second");
});
afterAll(() => own.stop());

function domains(): Config {
  const port = own.platform.httpPort;
  return { "gatehouse:domains": { localhost: { enabled: true, port, targets: ["127.0.0.1"] } } };
}

/** The second stack, with one service for the people of a group. */
function using(identityProvider: Readonly<Record<string, unknown>>, groups = ["staff"]): Config {
  return {
    ...common(own.platform),
    ...domains(),
    ...listed([service("second", { groups }, "second")]),
    "gatehouse:identity_provider": { install: false, token: "${AUTHENTIK_TOKEN}", ...identityProvider },
  };
}

const inCluster = (): Config => ({ url: own.identityProvider, service: { name: SERVER.name } });

function url(name: string): string {
  return own.origin(`${name}.localhost`);
}

/** What it takes for Traefik to know of a change. */
async function until(expected: string, name: string): Promise<void> {
  const ask = () => withClient(async (client) => told(await client.send(url(name))));
  await vi.waitFor(async () => expect(await ask()).toBe(expected), { timeout: 240_000, interval: 100 });
}

/** @param at origin where its stack has browsers sign in */
async function signsIn(name: string, at = own.identityProvider): Promise<void> {
  await until(`302 ${at}/application/o/authorize/`, name);
  await withClient(async (client) => {
    const page = await signIn(client, `${url(name)}/x`, INGE);
    expect([page.url, page.status]).toEqual([`${url(name)}/x`, 200]);
    expect(arrived(page.body)).toEqual(IDENTITY_HEADERS.map((header) => header.toLowerCase()).sort());
    expect(receivedHeaders(page.body).get("x-idp-username")).toEqual(["inge"]);
  });
}

/** Everything of the cluster and of the identity provider that a stack makes, by name. */
async function everything(): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const resourcePlural of KINDS) found[resourcePlural] = await listedAt("traefik.io", resourcePlural);
  found["dnsendpoints"] = await listedAt("externaldns.k8s.io", "dnsendpoints");
  for (const path of [
    "/providers/proxy/",
    "/providers/oauth2/",
    "/core/groups/",
    "/propertymappings/provider/scope/",
  ]) {
    const objects = await own.administrator.all<{ name: string }>(path);
    found[path] = objects.map(({ name }) => name).sort();
  }
  return found;
}

async function listedAt(group: string, resourcePlural: string): Promise<string[]> {
  const list = (await own.objects.listCustomObjectForAllNamespaces({ group, version: "v1alpha1", resourcePlural })) as {
    items: { metadata: { name: string; namespace: string } }[];
  };
  return list.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort();
}

test("a server of another line is refused before anything changes, naming both versions", async () => {
  const before = await everything();
  const newer = createServer((request, response) => {
    const { authorization = "" } = request.headers;
    const answered = fetch(address + request.url, { headers: { authorization, accept: "application/json" } });
    void answered.then(async (answer) => {
      const text = await answer.text();
      const isVersion = request.url?.startsWith("/api/v3/admin/version/") === true;
      response.writeHead(answer.status).end(isVersion ? text.replace(/"\d{4}\.[\d.]+"/g, '"2026.8.0"') : text);
    });
  }).listen(0, "127.0.0.1");
  await once(newer, "listening");
  const api_url = `http://127.0.0.1:${(newer.address() as AddressInfo).port}`;
  await expect(second.up(using({ ...inCluster(), api_url }))).rejects.toThrow(
    `the identity provider at ${api_url} is authentik 2026.8.0, and identity_provider.version is 2026.5.7. Set version to what runs there, or update the server.`,
  );
  newer.close();
  const made = [...(await second.resources()).keys()];
  expect(made.filter((urn) => !urn.includes("$pulumi:providers:") && !urn.includes("::pulumi:providers:"))).toEqual([]);
  expect(await everything()).toEqual(before);
});

test("a group that nobody made is asked for, not created", async () => {
  await expect(second.up(using(inCluster(), ["nobody-made-this"]))).rejects.toThrow(
    'authentik has no group "nobody-made-this"',
  );
  await second.destroy();
});

test("its services sign in there, and both stacks live beside each other", async () => {
  const before = await everything();
  await second.up(using(inCluster()));
  await signsIn("second");
  await signsIn("first");
  const refused = await withClient((client) => signIn(client, `${url("second")}/`, GAST));
  expect([new URL(refused.url).origin, refused.body.includes("Permission denied")]).toEqual([
    own.identityProvider,
    true,
  ]);
  const now = await everything();
  const added = now["/core/groups/"]?.filter((group) => before["/core/groups/"]?.includes(group) === false);
  expect(added).toEqual([]);
  const proxies = ["first@localhost", "second@localhost"];
  expect(now["/providers/proxy/"]).toEqual(proxies);
  // A proxy provider is an OAuth2 provider, too (measured, docs/authentik.md).
  expect(now["/providers/oauth2/"]).toEqual([
    "first@localhost",
    "gatehouse-identity",
    "gatehouse-identity-second",
    "second@localhost",
  ]);
  expect(Object.keys((await second.up(using(inCluster()))).changes).sort()).toEqual(["read", "same"]);
});

test("it goes without a trace, and leaves the other stack as it was", async () => {
  await second.destroy();
  await until("404", "second");
  const { summary } = await first.stack.refresh();
  expect(Object.keys(summary.resourceChanges ?? {})).toEqual(["same"]);
  const { changes } = await first.up(own.installed([service("first")], domains()));
  expect(Object.keys(changes)).toEqual(["same"]);
  await signsIn("first");
  const left = Object.values(await everything()).flat();
  expect(left.filter((name) => name.includes("second"))).toEqual([]);
});

test("without a Service in the cluster, the stack's outposts reach it at its URL", async () => {
  const { plan } = await second.up(using({ url: address }));
  const [outpost] = plan.outposts;
  expect([plan.outposts.length, outpost?.namespace]).toEqual([1, "gatehouse-outposts-second"]);
  const name = plan.middlewares.find((one) => one.kind === "forward-auth" && one.refusal === "login")?.name ?? "";
  const { spec } = (await own.objects.getNamespacedCustomObject({
    ...{ group: "traefik.io", version: "v1alpha1", plural: "middlewares" },
    ...{ namespace: "second", name },
  })) as { spec: { forwardAuth: { address: string } } };
  const place = { name: outpost?.name ?? "", namespace: outpost?.namespace ?? "" };
  const service = await own.core.readNamespacedService(place);
  const expected = `http://${service.spec?.clusterIP}:9000/outpost.goauthentik.io/auth/traefik`;
  expect(spec.forwardAuth.address).toBe(expected);
  await signsIn("second", address);
  await second.destroy();
  await signsIn("first");
});
