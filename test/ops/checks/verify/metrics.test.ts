import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { pushMetrics } from "../../../../ops/checks/verify/job/metrics.ts";

/** Starts a server in place of a Pushgateway. @returns its URL, and its requests: method, path, and the lines with a value */
async function receiver(): Promise<{ url: string; requests: [string, string[]][] }> {
  const requests: [string, string[]][] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const samples = body.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
      requests.push([`${request.method} ${request.url}`, samples]);
      response.writeHead(200).end();
    });
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

test("replaces the certificates of the last run, also by none, and keeps the last success of a failed run", async () => {
  const { url, requests } = await receiver();
  const run = { stack: "dev", checks: { passed: 1, failed: 0, skipped: 0 }, seconds: 2, expiries: new Map() };
  const expiries = new Map([["wiki.example.org", new Date("2027-01-01T00:00:00Z")]]);
  await pushMetrics(url, { ...run, expiries }, 1_700_000_000_000);
  await pushMetrics(url, { ...run, checks: { ...run.checks, failed: 1 } }, 1_700_003_600_000);
  // PUT replaces a group, POST only the metrics with a value (Pushgateway, README, "API").
  const certificates = "PUT /metrics/job/gatehouse_verify_certificates/stack/dev";
  const results = "POST /metrics/job/gatehouse_verify/stack/dev";
  expect(requests).toEqual([
    [certificates, ['gatehouse_certificate_expiry_timestamp_seconds{host="wiki.example.org"} 1798761600']],
    [
      results,
      [
        'gatehouse_verify_checks{state="passed"} 1',
        'gatehouse_verify_checks{state="failed"} 0',
        'gatehouse_verify_checks{state="skipped"} 0',
        "gatehouse_verify_duration_seconds 2",
        "gatehouse_verify_last_run_timestamp_seconds 1700000000",
        "gatehouse_verify_last_success_timestamp_seconds 1700000000",
      ],
    ],
    [certificates, []],
    [
      results,
      [
        'gatehouse_verify_checks{state="passed"} 1',
        'gatehouse_verify_checks{state="failed"} 1',
        'gatehouse_verify_checks{state="skipped"} 0',
        "gatehouse_verify_duration_seconds 2",
        "gatehouse_verify_last_run_timestamp_seconds 1700003600",
      ],
    ],
  ]);
});
