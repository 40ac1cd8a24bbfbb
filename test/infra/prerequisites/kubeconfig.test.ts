/** Facts of a cluster, as a plain `pulumi up` reads them. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { UserError } from "../../../config/errors/userError.ts";
import { kubeConfigFiles } from "../../../infra/kubeConfig.ts";
import { clusterFacts } from "../../../infra/prerequisites/cluster.ts";

/** An API server that returns its version, and serves no kind. @returns its URL */
async function apiServer(): Promise<string> {
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    if (request.url?.startsWith("/version") === true) response.end(JSON.stringify({ gitVersion: "v1.36.4+k3s1" }));
    else response.writeHead(404).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("are read with the first of several entries of one name, as kubectl reads them", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-kubeconfig-"));
  const write = (name: string, server: string): string => {
    const config = {
      contexts: [{ name: "default", context: { cluster: "default", user: "default" } }],
      clusters: [{ name: "default", cluster: { server, "insecure-skip-tls-verify": true } }],
      users: [{ name: "default", user: {} }],
    };
    writeFileSync(join(folder, name), JSON.stringify(config));
    return join(folder, name);
  };
  const files = [write("first", await apiServer()), write("second", "http://192.0.2.1")];
  vi.stubEnv("KUBECONFIG", files.join(delimiter));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  const gateway = { namespace: "kube-system", podLabels: {} };
  expect(await clusterFacts("default", [], { gateway, identityProvider: { namespace: "authentik" } })).toEqual({
    version: "v1.36.4+k3s1",
    kinds: [],
    traefik: undefined,
  });
});

test.each(["", "# none\n"])("reads an empty file %j without entries, as kubectl does", (text) => {
  const file = join(mkdtempSync(join(tmpdir(), "gatehouse-kubeconfig-")), "config");
  onTestFinished(() => rmSync(dirname(file), { recursive: true }));
  writeFileSync(file, text);
  expect(kubeConfigFiles({ KUBECONFIG: file }).map(({ config }) => config.contexts)).toEqual([[]]);
});

test("names a file that is not a kubeconfig with its line, and does not quote it", () => {
  const file = join(mkdtempSync(join(tmpdir(), "gatehouse-kubeconfig-")), "config");
  onTestFinished(() => rmSync(dirname(file), { recursive: true }));
  writeFileSync(file, 'users:\n- name: u\n  user:\n    token: canary\n   password: "canary\n');
  expect(() => kubeConfigFiles({ KUBECONFIG: file })).toThrow(
    new UserError(`${file} is not a kubeconfig (line 5)`, "correct it, or set KUBECONFIG to another file"),
  );
});
