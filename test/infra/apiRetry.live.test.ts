import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AuthorizationV1Api, CoreV1Api, type V1Namespace } from "@kubernetes/client-node";
import { stringify } from "yaml";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type ApiResponse, MAX_API_RETRIES, MAX_API_RETRY_MS, retryRequest } from "../../infra/apiRetry.ts";
import { RetryingKubeConfig } from "../../infra/kubeConfig.ts";
import { Api } from "../../local/platform/api.ts";
import { withAuthentik } from "../../infra/identity/authentikApi.ts";
import { Cluster } from "../../emulators/plugins/kubernetes/cluster.ts";

type Step = "reset" | { readonly status: number; readonly retryAfter?: string };

interface ApiServer {
  readonly url: string;
  /** When each request came, in milliseconds. */
  readonly received: readonly number[];
  readonly close: () => void;
}

/** A namespace of Kubernetes, which is an object like any other to a client of authentik. */
const NAMESPACE = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } };

/** Starts a server that takes one step for each request, and then answers 200. */
async function serve(...steps: Step[]): Promise<ApiServer> {
  const received: number[] = [];
  const server = createServer((request, response) => {
    request.resume().once("end", () => {
      received.push(Date.now());
      const step = steps.shift() ?? { status: 200 };
      if (step === "reset") {
        request.socket.destroy();
        return;
      }
      const retryAfter = step.retryAfter === undefined ? {} : { "retry-after": step.retryAfter };
      response.writeHead(step.status, { "content-type": "application/json", ...retryAfter });
      response.end(JSON.stringify(NAMESPACE));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, close };
}

function client(server: string): RetryingKubeConfig {
  const config = new RetryingKubeConfig();
  config.loadFromClusterAndUser({ name: "shop", server, skipTLSVerify: true }, { name: "admin", token: "t" });
  return config;
}

function plugin(server: string): Cluster {
  return new Cluster({ server, token: "t", tls: { ca: undefined, rejectUnauthorized: true } });
}

async function platformRead(server: string): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-retry-"));
  const clusters = [{ name: "shop", cluster: { server, "certificate-authority-data": "" } }];
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, stringify({ clusters, users: [{ name: "admin", user: { token: "t" } }] }));
  const api = new Api(kubeconfig);
  rmSync(folder, { recursive: true });
  try {
    return JSON.parse(await api.request("/api/v1/namespaces/shop"));
  } finally {
    await api.close();
  }
}

describe.concurrent("reads and applies", () => {
  test.each<[string, (server: string) => Promise<unknown>]>([
    ["a client of RetryingKubeConfig", (url) => client(url).makeApiClient(CoreV1Api).readNamespace({ name: "shop" })],
    ["the platform's Api", platformRead],
    ["the client of authentik", (url) => withAuthentik(url, "t", (api) => api.one("/namespaces/shop/"))],
    ["the plugin's read", (url) => plugin(url).read(NAMESPACE)],
    ["the plugin's apply", (url) => plugin(url).apply(NAMESPACE, "me", { force: true, dryRun: false })],
  ])("are retried by %s after 429, 500 and a reset, not before Retry-After", async (_, call) => {
    const { url, received, close } = await serve({ status: 429, retryAfter: "1" }, { status: 500 }, "reset");
    const body = (await call(url).finally(close)) as V1Namespace;
    expect(body.metadata?.name).toBe("shop");
    const [first = 0, second = 0] = received;
    expect(second - first).toBeGreaterThanOrEqual(1000);
    expect(received).toHaveLength(4);
  });

  test("are not retried after 404", async () => {
    const { url, received, close } = await serve({ status: 404 });
    expect(await plugin(url).read(NAMESPACE).finally(close)).toBeUndefined();
    expect(received).toHaveLength(1);
  });

  test("fail at once when nothing listens", async () => {
    const { url, close } = await serve();
    close();
    const start = Date.now();
    await expect(plugin(url).read(NAMESPACE)).rejects.toThrow("ECONNREFUSED");
    // All retries would take 6.3 s.
    expect(Date.now() - start).toBeLessThan(5_000);
  });
});

describe.concurrent("creations", () => {
  const create = (url: string, dryRun = false): Promise<unknown> => plugin(url).create(NAMESPACE, { dryRun });

  test.each<[string, Step]>([
    ["429", { status: 429 }],
    ["503 with Retry-After", { status: 503, retryAfter: "0" }],
  ])("are retried after %s", async (_, step) => {
    const { url, received, close } = await serve(step);
    await create(url).finally(close);
    expect(received).toHaveLength(2);
  });

  test.each<[string, Step, string]>([
    ["a reset", "reset", "does not answer: other side closed"],
    ["500", { status: 500 }, "the API server answers 500"],
    ["503 without Retry-After", { status: 503 }, "the API server answers 503"],
  ])("are not retried after %s, because the object may exist", async (_, step, message) => {
    const { url, received, close } = await serve(step);
    await expect(create(url).finally(close)).rejects.toThrow(message);
    expect(received).toHaveLength(1);
  });

  test.each<[string, (url: string) => Promise<unknown>]>([
    ["a dry run", (url) => create(url, true)],
    [
      "a SelfSubjectAccessReview",
      (url) =>
        client(url)
          .makeApiClient(AuthorizationV1Api)
          .createSelfSubjectAccessReview({ body: { spec: {} } }),
    ],
  ])("are retried after a reset when they create nothing: %s", async (_, call) => {
    const { url, received, close } = await serve("reset");
    await call(url).finally(close);
    expect(received).toHaveLength(2);
  });
});

describe("the limit", () => {
  const refused = (headers: ApiResponse["headers"] = {}): ApiResponse => ({ status: 429, headers, body: "busy" });
  const get = { method: "GET", url: "/api" };

  test("is MAX_API_RETRIES retries, then the last response is returned", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const send = vi.fn(() => Promise.resolve(refused()));
    let last: ApiResponse | undefined;
    void retryRequest(get, send).then((response) => (last = response));
    while (last === undefined) await vi.advanceTimersToNextTimerAsync();
    expect(last).toEqual(refused());
    expect(send).toHaveBeenCalledTimes(1 + MAX_API_RETRIES);
  });

  test.each([
    ["seconds", () => `${MAX_API_RETRY_MS / 1000}`],
    ["a date", () => new Date(Date.now() + 2 * MAX_API_RETRY_MS).toUTCString()],
  ])("is MAX_API_RETRY_MS: a later Retry-After in %s is not waited for", async (_, retryAfter) => {
    const send = vi.fn(() => Promise.resolve(refused({ "retry-after": retryAfter() })));
    expect(await retryRequest(get, send)).toMatchObject({ status: 429, body: "busy" });
    expect(send).toHaveBeenCalledTimes(1);
  });
});
