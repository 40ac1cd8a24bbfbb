/** An oauth2 application whose Service does not exist: the gateway answers 404 itself, and verify names the Service. */
import { CoreV1Api } from "@kubernetes/client-node";
import { expect, inject, test, vi } from "vitest";
import { main } from "../../ops/commands/verify.ts";
import { SHELL } from "../helpers/shell.ts";
import { clusterConfig } from "./fixtures.ts";

const SERVICE = { name: "notes", namespace: "default" };
const HOST = "notes.localhost";
const within = { timeout: 240_000, interval: 500 };

/** The checks that failed, each as host, kind and detail. */
async function failures(): Promise<readonly (readonly string[])[]> {
  let json = "";
  await main(["gatehouse-local", "--json", "--only", "routes,sign-in,cluster"], {
    ...SHELL,
    data: inject("platform").data,
    environment: process.env,
    out: (text) => void (json += text),
    error: (text) => expect.fail(text),
  });
  const { checks } = JSON.parse(json) as { checks: Record<"subject" | "kind" | "state" | "detail", string>[] };
  return checks.flatMap(({ subject, kind, state, detail }) =>
    state === "failed" ? [[URL.parse(subject)?.hostname ?? subject, kind, detail]] : [],
  );
}

test("reports a missing Service with verify, and does not accept the gateway's own 404", async () => {
  const config = clusterConfig();
  const core = config.makeApiClient(CoreV1Api);
  const { metadata: { labels = {} } = {}, spec } = await core.readNamespacedService(SERVICE);
  const own = expect.stringContaining(
    "expected a response of the application, got 404, the gateway's own response",
  ) as string;
  await core.deleteNamespacedService(SERVICE);
  try {
    const expected = [
      [HOST, "routes", own],
      [HOST, "sign-in", own],
      [HOST, "cluster", "Service default/notes is missing (Service default/notes does not exist)"],
    ];
    await vi.waitFor(
      async () => expect((await failures()).filter(([host]) => host === HOST)).toEqual(expected),
      within,
    );
  } finally {
    const body = { metadata: { name: SERVICE.name, labels }, ...(spec ? { spec } : {}) };
    await core.createNamespacedService({ namespace: SERVICE.namespace, body });
  }
  await vi.waitFor(async () => expect(await failures()).toEqual([]), within);
});
