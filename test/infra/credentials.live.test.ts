/** Credentials of a kubeconfig, as kubectl reads them. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CoreV1Api } from "@kubernetes/client-node";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { errorText } from "../../config/errors/errorText.ts";
import { kubeConfigFiles, mergedKubeConfig } from "../../infra/kubeConfig.ts";

const received: (string | undefined)[] = [];
const server = createServer(({ headers }, response) => {
  received.push(headers.authorization);
  response.setHeader("content-type", "application/json").end(JSON.stringify({ metadata: { name: "shop" } }));
});
let folder: string;

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
beforeEach(() => void received.splice(0));
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "gatehouse-credentials-"))));
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/** Writes an executable file into the folder of the kubeconfig. */
function program(name: string, ...lines: string[]): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${lines.join("\n")}\n`);
  chmodSync(join(folder, name), 0o755);
}

/** Prints the credential of a program. */
const PRINTS_TOKEN = `echo '{"status":{"token":"of-the-program"}}'`;

/** Sends requests with the credentials of a user of a kubeconfig. @returns a function that sends one */
function clientOf(user: object): () => Promise<unknown> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const kubeconfig = {
    contexts: [{ name: "shop", context: { cluster: "shop", user: "deployer" } }],
    clusters: [{ name: "shop", cluster: { server: url, "insecure-skip-tls-verify": true } }],
    users: [{ name: "deployer", user }],
  };
  const file = join(folder, "kubeconfig");
  writeFileSync(file, JSON.stringify(kubeconfig));
  const api = mergedKubeConfig(kubeConfigFiles({ KUBECONFIG: file }), "shop").makeApiClient(CoreV1Api);
  return () => api.readNamespace({ name: "shop" });
}

describe("tokenFile", () => {
  test("is relative to the kubeconfig, takes precedence over token and exec, and is read again after a minute", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const send = clientOf({ token: "older", exec: { command: "./missing" }, tokenFile: "token" });
    writeFileSync(join(folder, "token"), "first\n");
    await send();
    writeFileSync(join(folder, "token"), "second\n");
    vi.setSystemTime(Date.now() + 61_000);
    await send().finally(() => vi.useRealTimers());
    expect(received).toEqual(["Bearer first", "Bearer second"]);
  });

  test("is ignored if it is empty", async () => {
    await clientOf({ token: "other", tokenFile: "" })();
    expect(received).toEqual(["Bearer other"]);
  });

  test("names a file that does not exist", async () => {
    const error = await clientOf({ tokenFile: "missing" })().catch(errorText);
    const reason = `ENOENT: no such file or directory, open '${join(folder, "missing")}'`;
    expect(error).toBe(
      `context "shop" of the kubeconfig cannot be used: ${reason}. Correct user "deployer" of the kubeconfig.`,
    );
  });
});

describe("exec", () => {
  test("resolves a command with a slash against the folder of the kubeconfig", async () => {
    program("credential", PRINTS_TOKEN);
    await clientOf({ exec: { command: "./credential" } })();
    expect(received).toEqual(["Bearer of-the-program"]);
  });

  test("finds a command without a slash on PATH, not in the folder of the kubeconfig", async () => {
    program("gatehouse-credential", PRINTS_TOKEN);
    const command = { exec: { command: "gatehouse-credential" } };
    await expect(clientOf(command)()).rejects.toThrow("spawn gatehouse-credential ENOENT");
    vi.stubEnv("PATH", `${folder}:${process.env["PATH"]}`);
    await clientOf(command)().finally(() => vi.unstubAllEnvs());
    expect(received).toEqual(["Bearer of-the-program"]);
  });

  test("runs a program once for concurrent requests, also if it fails, and again after the failure", async () => {
    const run = (end: string) => program("credential", 'echo >> "$RUNS"', end);
    const runs = () => readFileSync(join(folder, "runs"), "utf8").length;
    const send = clientOf({ exec: { command: "./credential", env: [{ name: "RUNS", value: join(folder, "runs") }] } });
    run("exit 1");
    const failed = await Promise.allSettled([send(), send(), send()]);
    expect([failed.map(({ status }) => status), runs()]).toEqual([["rejected", "rejected", "rejected"], 1]);
    run(PRINTS_TOKEN);
    await Promise.all([send(), send(), send()]);
    expect([received, runs()]).toEqual([Array.from({ length: 3 }, () => "Bearer of-the-program"), 2]);
  });

  test("shows the messages of a program, and gives it no input that never ends", async () => {
    program("credential", "cat", "echo 'Enter the code ABCD' >&2", PRINTS_TOKEN);
    const shown = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    await clientOf({ exec: { command: "./credential" } })();
    const texts = shown.mock.calls.map(([text]) => String(text));
    shown.mockRestore();
    expect([texts, received]).toEqual([["Enter the code ABCD\n"], ["Bearer of-the-program"]]);
  });

  test.each([
    ["fails", "echo 'token=canary-1' >&2; echo 'refresh_token: canary-2'; exit 1"],
    ["prints something else", 'echo \'{"access_token": "canary-3"}\''],
    ["prints nothing", "true"],
  ])("names a program that %s, without its output", async (_, command) => {
    program("credential", command);
    const error = await clientOf({ exec: { command: "./credential" } })().catch(errorText);
    expect(error).toBe(
      `context "shop" of the kubeconfig cannot be used: ${join(folder, "credential")} returned no credentials. ` +
        "Run it in a terminal to see its message, and sign in again.",
    );
  });
});
