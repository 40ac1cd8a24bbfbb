/** The job of verify reports what it found when its time is over. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { JobTarget } from "../../../../infra/verification/target.ts";
import { verifyTarget } from "../../../../ops/checks/verify/job/verifyTarget.ts";

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => server.close().closeAllConnections());
  return (server.address() as AddressInfo).port;
}

/** Lines that the job printed, without their time. */
async function run(port: number, hosts: readonly string[], environment: Record<string, string>, limit?: number) {
  const exposures = hosts.map((host) => {
    const expectation = { page: { kind: "status", status: 200 }, refusals: [] };
    const url = `http://${host}:${port}`;
    return { id: host, role: "service", protection: "open", backend: {}, publicPaths: [], expectation, host, url };
  });
  const target = { stack: "dev", exposures, records: [], disabled: [], echo: { name: "echo" }, groups: [] };
  const lines: Record<string, unknown>[] = [];
  const print = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
  const code = await verifyTarget(target as unknown as JobTarget, environment, print, limit);
  return { code, lines: lines.map(({ time: _time, ...line }) => line) };
}

test("prints each failed check when its probe ends, and pushes metrics although a probe does not end", async () => {
  const pushed: string[] = [];
  const pushgateway = await serve((request, response) => {
    request.setEncoding("utf8").on("data", (text: string) => pushed.push(text));
    request.on("end", () => response.writeHead(200).end());
  });
  const port = await serve((request, response) => {
    const { host = "" } = request.headers;
    if (host.startsWith("hangs")) return;
    response.writeHead(host.startsWith("wrong") ? 403 : 404).end("404 page not found\n");
  });
  const environment = { PUSHGATEWAY: `http://127.0.0.1:${pushgateway}` };
  const { code, lines } = await run(port, ["wrong.localhost", "hangs.localhost"], environment, 1000);
  const summary = { level: "error", event: "summary", passed: 3, failed: 2, skipped: 1 };
  expect([code, lines]).toMatchObject([
    1,
    [
      { subject: "identity headers", state: "skipped" },
      { subject: `http://wrong.localhost:${port}`, state: "failed", detail: "expected status 200, got 403" },
      {
        level: "error",
        event: "check",
        state: "failed",
        subject: "dev",
        check: "the verification ends in time",
        detail: `after 1 s, 1 of 6 probes did not end: routes of http://hangs.localhost:${port}`,
      },
      summary,
    ],
  ]);
  expect(pushed.join("")).toContain('gatehouse_verify_checks{state="failed"} 2\n');
});
