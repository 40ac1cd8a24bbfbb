/** The token of the stack file reaches the stack's own authentik only. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { main } from "../../../ops/commands/import.ts";
import { SHELL } from "../../helpers/shell.ts";

const folder = mkdtempSync(join(tmpdir(), "gatehouse-import-token-"));
/** Authorization headers of the requests to authentik. */
const tokens = new Set<string | undefined>();
/** Whether it signs users in depends on authentik. */
const ROUTE = {
  metadata: { namespace: "default", name: "wiki" },
  spec: { routes: [{ match: "Host(`wiki.localhost`)", services: [{ name: "wiki", port: 80 }] }] },
};
const SERVICE = { metadata: { namespace: "default", name: "wiki" }, spec: { ports: [{ port: 80 }] } };
/** An API server with one route, and an authentik that rejects each token. */
const server = createServer((request, response) => {
  const isAuthentik = request.url?.startsWith("/api/v3/") === true;
  if (isAuthentik) tokens.add(request.headers.authorization);
  const list = { items: { ingressroutes: [ROUTE], services: [SERVICE] }[request.url?.split("/").at(-1) ?? ""] ?? [] };
  response
    .writeHead(isAuthentik ? 403 : 200, { "content-type": "application/json" })
    .end(JSON.stringify(isAuthentik ? { detail: "Token invalid" } : list));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const config = {
    "kubernetes:context": "one",
    "gatehouse:domains": { localhost: {} },
    "gatehouse:protected_services": [],
    "gatehouse:identity_provider": { install: false, url: origin("127.0.0.1"), token: "${STACK_TOKEN}" },
  };
  writeFileSync(join(folder, "Pulumi.one.yaml"), JSON.stringify({ config }));
  const kubeconfig = {
    contexts: [{ name: "one", context: { cluster: "one", user: "one" } }],
    clusters: [{ name: "one", cluster: { server: origin("127.0.0.1"), "insecure-skip-tls-verify": true } }],
    users: [{ name: "one", user: { token: "t" } }],
  };
  writeFileSync(join(folder, "kubeconfig"), JSON.stringify(kubeconfig));
});
beforeEach(() => tokens.clear());
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

function origin(host: string): string {
  return `http://${host}:${(server.address() as AddressInfo).port}`;
}

const STACK = { STACK_TOKEN: "of-the-stack" };
const OWN = { AUTHENTIK_TOKEN: "of-the-shell" };
const NOT_SET = "authentik was not read, because AUTHENTIK_TOKEN is not set";

test.each([
  ["the stack's token to its authentik", undefined, STACK, ["Bearer of-the-stack"], "cannot be read"],
  ["the stack's token to the same origin", "127.0.0.1", STACK, ["Bearer of-the-stack"], "cannot be read"],
  ["no token to another origin", "localhost", STACK, [], NOT_SET],
  ["AUTHENTIK_TOKEN to another origin", "localhost", { ...STACK, ...OWN }, ["Bearer of-the-shell"], "cannot be read"],
])("sends %s", async (_, host, variables, sent, reason) => {
  let error = "";
  const environment = { KUBECONFIG: join(folder, "kubeconfig"), ...variables };
  const shell = { ...SHELL, project: folder, folder, environment };
  const args = ["one", ...(host === undefined ? [] : ["--authentik", origin(host)])];
  await main(args, { ...shell, error: (text) => void (error += text) });
  expect([[...tokens], error]).toEqual([sent, expect.stringContaining(reason)]);
});
