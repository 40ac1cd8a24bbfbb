/** The Job of verify waits for names and policies that come late. */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { waitForGateway } from "../../../../ops/checks/verify/job/gateway.ts";

/** A port that nothing listens on, and what opens it. */
async function closedPort(): Promise<{ port: number; open: () => void }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return {
    port,
    open: () => {
      server.listen(port, "127.0.0.1");
      onTestFinished(() => void server.close());
    },
  };
}

test("waits until the gateway accepts a connection", async () => {
  const { port, open } = await closedPort();
  const reports: unknown[] = [];
  await waitForGateway(
    `http://app.localhost:${port}/x`,
    (problem, attempt) => {
      reports.push([problem, attempt]);
      open();
    },
    { pause: 1 },
  );
  expect(reports).toEqual([[`connect ECONNREFUSED 127.0.0.1:${port}`, 1]]);
});

test("ends after its time, and reports every tenth attempt", async () => {
  const { port } = await closedPort();
  const reports: number[] = [];
  const began = performance.now();
  await waitForGateway(`http://127.0.0.1:${port}`, (_, attempt) => reports.push(attempt), { limit: 500, pause: 5 });
  expect(performance.now() - began).toBeLessThan(3000);
  expect(reports.slice(0, 2)).toEqual([1, 11]);
});
