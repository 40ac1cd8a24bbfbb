/** A stack that uses an existing identity provider: here the one of another stack on the same cluster. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { IDENTITY_HEADERS } from "../../infra/identity/headers.ts";
import { receivedHeaders } from "../../ops/checks/verify/echo.ts";
import { signIn } from "../../ops/clients/signIn.ts";
import { runEngine } from "../../ops/engine/run.ts";
import { receivedIdentityHeaders, statusAndTarget, withClient } from "../domains/fixtures.ts";
import {
  common,
  type Config,
  deployEcho,
  GAST,
  INGE,
  listed,
  type OwnPlatform,
  type OwnStack,
  service,
} from "../helpers/ownPlatform.ts";
import { createUsers, openShared } from "./stack.ts";

const SERVER = { name: "authentik-server", namespace: "authentik" };
const KINDS = ["ingressroutes", "middlewares"];

let own: OwnPlatform;
let first: OwnStack;
let second: OwnStack;
/** Address of the identity provider's Service. */
let address: string;

beforeAll(async () => {
  ({ own, stack: first } = await openShared());
  await first.up(own.installed([service("first")], domains()));
  await createUsers(own, INGE, GAST);
  const { spec } = await own.core.readNamespacedService(SERVER);
  address = `http://${spec?.clusterIP}:9000`;
  await deployEcho(own.platform, "second");
  second = await own.open("second");
});
afterAll(async () => {
  try {
    await second.destroy();
  } finally {
    await own.stop();
  }
});

function domains(): Config {
  const port = own.platform.httpPort;
  return { "gatehouse:domains": { localhost: { enabled: true, port, targets: ["127.0.0.1"] } } };
}

/** Returns the config of the second stack, with one service for a group. */
function secondStack(identityProvider: Readonly<Record<string, unknown>>, groups = ["staff"]): Config {
  return {
    ...common(own.platform),
    ...domains(),
    ...listed([service("second", { groups }, "second")]),
    "gatehouse:identity_provider": { install: false, token: "${AUTHENTIK_TOKEN}", ...identityProvider },
  };
}

const inClusterServer = (): Config => ({ url: own.identityProvider, service: { name: SERVER.name } });

function url(name: string): string {
  return own.origin(`${name}.localhost`);
}

/** Waits until Traefik has applied a change. */
async function until(expected: string, name: string): Promise<void> {
  const request = () => withClient(async (client) => statusAndTarget(await client.send(url(name))));
  await vi.waitFor(async () => expect(await request()).toBe(expected), { timeout: 240_000, interval: 100 });
}

/** @param at origin of the identity provider that its stack redirects browsers to */
async function expectSignIn(name: string, at = own.identityProvider): Promise<void> {
  await until(`302 ${at}/application/o/authorize/`, name);
  await withClient(async (client) => {
    const page = await signIn(client, `${url(name)}/x`, INGE);
    expect([page.url, page.status]).toEqual([`${url(name)}/x`, 200]);
    expect(receivedIdentityHeaders(page.body)).toEqual(IDENTITY_HEADERS.map((header) => header.toLowerCase()).sort());
    expect(receivedHeaders(page.body).get("x-idp-username")).toEqual(["inge"]);
  });
}

/** Returns the names of all objects that a stack creates in the cluster and in the identity provider. */
async function listObjects(): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const resourcePlural of KINDS) found[resourcePlural] = await listCustomObjects("traefik.io", resourcePlural);
  found["dnsendpoints"] = await listCustomObjects("externaldns.k8s.io", "dnsendpoints");
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

async function listCustomObjects(group: string, resourcePlural: string): Promise<string[]> {
  const list = (await own.objects.listCustomObjectForAllNamespaces({ group, version: "v1alpha1", resourcePlural })) as {
    items: { metadata: { name: string; namespace: string } }[];
  };
  return list.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort();
}

test("rejects a server of another release series before any change, with both versions", async () => {
  const before = await listObjects();
  const newer = createServer((request, response) => {
    const { authorization = "" } = request.headers;
    const answered = fetch(address + request.url, { headers: { authorization, accept: "application/json" } });
    void answered.then(async (answer) => {
      const text = await answer.text();
      const isVersion = request.url?.startsWith("/api/v3/admin/version/") === true;
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(isVersion ? text.replace(/"\d{4}\.[^"]+"/g, '"2026.8.0"') : text);
    });
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void newer.close());
  await once(newer, "listening");
  const api_url = `http://127.0.0.1:${(newer.address() as AddressInfo).port}`;
  await expect(second.up(secondStack({ ...inClusterServer(), api_url }))).rejects.toThrow(
    `the identity provider at ${api_url} is authentik 2026.8.0, and identity_provider.version is 2026.5.7. Set version to what runs there, or update the server.`,
  );
  const created = [...(await second.resources()).keys()];
  expect(created.filter((urn) => !urn.includes("$pulumi:providers:") && !urn.includes("::pulumi:providers:"))).toEqual(
    [],
  );
  expect(await listObjects()).toEqual(before);
});

test("reports a missing group instead of creating it", async () => {
  await expect(second.up(secondStack(inClusterServer(), ["missing-group"]))).rejects.toThrow(
    'authentik has no group "missing-group"',
  );
});

test("rejects a service account in a group of superusers", async () => {
  const created = await own.administrator.call<{ pk: string }>("POST", "/core/groups/", {
    name: "owners",
    is_superuser: true,
  });
  onTestFinished(async () => void (await own.administrator.call("DELETE", `/core/groups/${created.pk}/`)));
  const service_accounts = [{ name: "robot", groups: ["staff", "owners"] }];
  await expect(second.up(secondStack({ ...inClusterServer(), service_accounts }))).rejects.toThrow(
    'the members of group "owners" are superusers of authentik',
  );
  expect(await own.administrator.all("/core/users/", { username: "robot" })).toEqual([]);
});

test("signs users in to the services of both stacks at the same server", async () => {
  const before = await listObjects();
  await second.up(secondStack(inClusterServer()));
  await expectSignIn("second");
  await expectSignIn("first");
  const refused = await withClient((client) => signIn(client, `${url("second")}/`, GAST));
  expect([new URL(refused.url).origin, refused.body.includes("Permission denied")]).toEqual([
    own.identityProvider,
    true,
  ]);
  const now = await listObjects();
  const added = now["/core/groups/"]?.filter((group) => before["/core/groups/"]?.includes(group) === false);
  expect(added).toEqual([]);
  const proxies = [/^first-localhost-[0-9a-f]{8}$/, /^second-localhost-[0-9a-f]{8}$/].map(
    (name) => expect.stringMatching(name) as string,
  );
  expect(now["/providers/proxy/"]).toEqual(proxies);
  // A proxy provider is an OAuth2 provider, too (measured, docs/authentik.md).
  expect(now["/providers/oauth2/"]).toEqual([
    ...proxies.slice(0, 1),
    "gatehouse-identity",
    "gatehouse-identity-second",
    ...proxies.slice(1),
  ]);
  expect(Object.keys((await second.up(secondStack(inClusterServer()))).changes).sort()).toEqual(["read", "same"]);
});

test("removes every object of a destroyed stack, and changes nothing of the other one", async () => {
  await second.destroy();
  await until("404", "second");
  const refreshed = await runEngine(
    () => undefined,
    (watch) => first.stack.refresh(watch),
  );
  expect(Object.keys(refreshed.changes)).toEqual(["same"]);
  await expectSignIn("first");
  const left = Object.values(await listObjects()).flat();
  expect(left.filter((name) => name.includes("second"))).toEqual([]);
});

test("connects outposts to a server without a Service in the cluster at its URL", async () => {
  const { plan } = await second.up(secondStack({ url: address }));
  const [outpost] = plan.outposts;
  expect([plan.outposts.length, outpost?.namespace]).toEqual([1, "gatehouse-outposts-second"]);
  const name = plan.middlewares.find((one) => one.kind === "forward-auth" && one.refusal === "login")?.name ?? "";
  const { spec } = (await own.objects.getNamespacedCustomObject({
    group: "traefik.io",
    version: "v1alpha1",
    plural: "middlewares",
    namespace: "second",
    name,
  })) as { spec: { forwardAuth: { address: string } } };
  const location = { name: outpost?.name ?? "", namespace: outpost?.namespace ?? "" };
  const service = await own.core.readNamespacedService(location);
  const expected = `http://${service.spec?.clusterIP}:9000/outpost.goauthentik.io/auth/traefik`;
  expect(spec.forwardAuth.address).toBe(expected);
  await expectSignIn("second", address);
  await expectSignIn("first");
});
