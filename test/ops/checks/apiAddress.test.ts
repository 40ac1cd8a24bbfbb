import { createServer, type AddressInfo, type Server } from "node:net";
import { once } from "node:events";
import type { KubeConfig } from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { unreachableApi } from "../../../ops/checks/apiAddress.ts";
import type { StackContext } from "../../../ops/context/context.ts";

const HOST = "authentik.localhost";
const HINT = `add "127.0.0.1 ${HOST}" to /etc/hosts, or set identity_provider.api_url to an address of authentik that this machine reaches`;

let server: Server;
beforeAll(async () => {
  server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => server.close());

/** A cluster whose API server has a Service. */
function cluster(clusterIP: string | undefined, port: number): KubeConfig {
  const readNamespacedService = () =>
    clusterIP === undefined
      ? Promise.reject(new Error("forbidden"))
      : Promise.resolve({ spec: { clusterIP, ports: [{ port }] } });
  return { makeApiClient: () => ({ readNamespacedService }) } as unknown as KubeConfig;
}

function target(provider: object, url = `http://${HOST}`) {
  const settings = { identityProvider: { install: true, ...provider } };
  return { settings, plan: { identityProviderUrl: url } } as StackContext;
}

const check = (config: KubeConfig, provider: object = {}, resolved = false, url?: string) =>
  unreachableApi(target(provider, url), config, { resolves: () => Promise.resolve(resolved) });

test("reports nothing for the API on localhost if the plugins resolve its name or reach its Service", async () => {
  const { port } = server.address() as AddressInfo;
  expect(await check(cluster("192.0.2.1", 443), {}, true)).toBeUndefined();
  expect(await check(cluster("127.0.0.1", port))).toBeUndefined();
  // Nothing listens there, but the network answers.
  expect(await check(cluster("127.0.0.1", 1))).toBeUndefined();
});

test("reports an address in a network that does not answer, with both hints", async () => {
  const no = (): Promise<boolean> => Promise.resolve(false);
  const found = await unreachableApi(target({}), cluster("192.0.2.1", 443), { resolves: no, reaches: no });
  const network = "this machine does not reach Services of the cluster (no connection to 192.0.2.1:443 within 5 s)";
  expect(found).toEqual({ problem: `the provider plugins cannot resolve ${HOST}, and ${network}`, hint: HINT });
});

test("reports an existing server without a Service, and an api_url on localhost", async () => {
  const expected = { problem: `the provider plugins cannot resolve ${HOST}`, hint: HINT };
  const other = cluster("127.0.0.1", 1);
  expect(await check(other, { install: false })).toEqual(expected);
  expect(await check(other, { apiUrl: `http://${HOST}:8080` }, false, "https://login.example.org")).toEqual(expected);
});

test("reports nothing for other names, and if the Service cannot be read", async () => {
  expect(await check(cluster("192.0.2.1", 443), {}, false, "https://login.example.org")).toBeUndefined();
  expect(await check(cluster(undefined, 443))).toBeUndefined();
});
