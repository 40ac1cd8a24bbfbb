/** Every operator command against a running platform: its exit code, and that its output contains no secret. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CoreV1Api, type KubernetesObject, KubernetesObjectApi, PatchStrategy } from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { ownDatabase } from "../../ops/clients/databaseAddress.ts";
import { withDatabase } from "../../ops/clients/database.ts";
import { readStack } from "../../ops/context/context.ts";
import { fullTest } from "../helpers/fullTest.ts";
import { clusterConfig, openLocalContext } from "./fixtures.ts";

const PROJECT = join(import.meta.dirname, "../..");
const CONTEXT = "gatehouse-local";
/** Keys of a Secret whose values are credentials. */
const CREDENTIAL_KEYS = /pass|secret|token|key|users/i;

const folder = mkdtempSync(join(tmpdir(), "gatehouse-commands-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Other credentials of a deploying shell, of 24 letters as a generated secret. */
const SHELL = Object.fromEntries(
  ["GITHUB_TOKEN", "PULUMI_ACCESS_TOKEN", "AWS_SECRET_ACCESS_KEY", "AZURE_CLIENT_SECRET", "VAULT_TOKEN"].map(
    (name) => [name, randomBytes(12).toString("hex")] as const,
  ),
);

/** Everything that the commands printed or wrote. */
let output = "";
let canaries: readonly (readonly [name: string, value: string])[] = [];

beforeAll(async () => {
  const { data, variables } = inject("platform");
  const kept = JSON.parse(readFileSync(join(data, "secrets.json"), "utf8")) as Record<string, string>;
  const { items } = await clusterConfig().makeApiClient(CoreV1Api).listSecretForAllNamespaces();
  const inCluster = items.flatMap(({ metadata, data: values = {} }) =>
    Object.entries(values)
      .filter(([key]) => CREDENTIAL_KEYS.test(key))
      .map(([key, value]): [string, string] => [
        `${metadata?.name}.${key}`,
        Buffer.from(value, "base64").toString().trim(),
      ]),
  );
  canaries = [variables, kept, SHELL]
    .flatMap((known) => Object.entries(known))
    .concat(inCluster)
    .filter(([, { length }]) => length > 11);
});

interface CommandResult {
  readonly code: number;
  readonly out: string;
}

/** Runs a program of the project without a terminal. */
function run(file: string, ...args: readonly string[]): Promise<CommandResult> {
  const env = { ...process.env, ...SHELL, GATEHOUSE_DATA: inject("platform").data };
  return new Promise((resolve) => {
    execFile(file, args, { cwd: folder, env, maxBuffer: 1e8 }, (error, out, errors) => {
      output += out + errors;
      resolve({ code: typeof error?.code === "number" ? error.code : error ? -1 : 0, out });
    });
  });
}

function command(name: string, ...args: readonly string[]): Promise<CommandResult> {
  return run(
    process.execPath,
    join(PROJECT, "ops/launcher/launch.js"),
    join(PROJECT, "ops/commands/gatehouse.ts"),
    name,
    ...args,
  );
}

test("plan --json: prints the plan of the stack", async () => {
  const { code, out } = await command("plan", "local", "--json");
  expect([code, (JSON.parse(out) as { stack: string }).stack]).toEqual([0, "local"]);
});

test("diff: prints a changed session as text, JSON and a comment", async () => {
  const before = join(folder, "Pulumi.local.yaml");
  const text = readFileSync(join(PROJECT, "Pulumi.local.yaml"), "utf8");
  writeFileSync(before, text.replace("      groups: [admins]\n", "      groups: [admins]\n      session: hours=1\n"));
  for (const form of [[], ["--json"], ["--markdown"]]) {
    const { code, out } = await command("diff", before, "--stack", "local", ...form);
    expect([code, out.includes("hours=1")]).toEqual([0, true]);
  }
});

test("verify: passes, and writes JSON and JUnit", async () => {
  const junit = join(folder, "verify.xml");
  const { code, out } = await command("verify", CONTEXT, "--json", "--junit", junit);
  expect([code, (JSON.parse(out) as { summary: { failed: number } }).summary.failed]).toEqual([0, 0]);
  output += readFileSync(junit, "utf8");
  expect((await command("verify", CONTEXT, "--only", "routes,sign-in")).code).toBe(0);
});

test("diagnose: reports no symptom", async () => {
  const { code, out } = await command("diagnose", CONTEXT);
  expect([code, out.includes("No symptom.")]).toEqual([0, true]);
  const reports = join(inject("platform").data, "diagnose");
  for (const name of readdirSync(reports)) output += readFileSync(join(reports, name), "utf8");
});

test("audit: reports no object that bypasses the plan", async () => {
  expect((await command("audit", CONTEXT, "--json")).code).toBe(0);
});

test("doctor: passes on the local platform", async () => {
  const { code, out } = await command("doctor", CONTEXT, "--json");
  const { summary } = JSON.parse(out) as { summary: { failed: number } };
  expect([code, summary.failed]).toEqual([0, 0]);
  expect((await command("doctor", CONTEXT)).code).toBe(0);
});

test("contract check: passes for the local stack", async () => {
  expect((await command("contract", "check", "local", "--json")).code).toBe(0);
});

fullTest("preview: reports no changes after a deployment", async () => {
  expect((await command("preview", CONTEXT)).code).toBe(0);
});

fullTest("preview --drift: reports no drift after a deployment", async () => {
  const { code, out } = await command("preview", CONTEXT, "--drift");
  expect(out).toMatch(/^Drift: none, \d+ resources unchanged\n$/);
  expect(code).toBe(0);
});

test("preview --drift: prints a changed object first", async () => {
  const api = clusterConfig().makeApiClient(KubernetesObjectApi);
  const strip = {
    apiVersion: "traefik.io/v1alpha1",
    kind: "Middleware",
    metadata: {
      name: "gatehouse-strip",
      namespace: "default",
    },
  };
  const patch = (value: string): Promise<unknown> =>
    api.patch(
      { ...strip, spec: { headers: { customRequestHeaders: { "X-Idp-Username": value } } } } as KubernetesObject,
      undefined,
      undefined,
      undefined,
      undefined,
      PatchStrategy.MergePatch,
    );
  await patch("planted");
  try {
    const { code, out } = await command("preview", CONTEXT, "--drift");
    expect(out).toMatch(
      /^Drift, or changes of the stack file that are not deployed: a deployment would change these\nResources: 1 to update, \d+ unchanged\n {2}~ Middleware default\/gatehouse-strip-middleware: spec.headers.customRequestHeaders.X-Idp-Username\n\n/,
    );
    expect(out).toContain("planted");
    expect(code).toBe(1);
  } finally {
    await patch("");
  }
});

test('deploy: reports "unchanged" from another folder, and exits with 2 without --yes and a terminal', async () => {
  const { code, out } = await run(join(PROJECT, "deploy"), CONTEXT, "--yes", "--json");
  const { outcome, changes } = JSON.parse(out) as { outcome: string; changes: unknown[] };
  expect([code, outcome, changes]).toEqual([0, "unchanged", []]);
  expect((await run(join(PROJECT, "deploy"), CONTEXT)).code).toBe(2);
  const unknown = await run(join(PROJECT, "deploy"), "gatehouse-other");
  expect(unknown.code).toBe(2);
  expect(output).toContain(`\n  ${CONTEXT} (stack local)\n`);
});

test("deploy: exits with 2 while a relation of the contract is missing", async () => {
  const rename = (from: string, to: string) =>
    withDatabase(ownDatabase(readStack("local", openLocalContext().shell)), (client) =>
      client.query(`alter view api_v1.${from} rename to ${to}`),
    );
  await rename("distrikt_summary", "moved");
  try {
    const { code, out } = await run(join(PROJECT, "deploy"), CONTEXT, "--yes", "--json");
    expect([code, out]).toMatchObject([2, expect.stringMatching(/✖ distrikt_summary {2}3 columns {2}removed/)]);
  } finally {
    await rename("moved", "distrikt_summary");
  }
});

test("prints and writes no secret of the stack with any command", () => {
  expect(new Set(canaries.map(([, value]) => value)).size).toBeGreaterThanOrEqual(20);
  expect(output.length).toBeGreaterThan(20_000);
  expect(canaries.filter(([, value]) => output.includes(value)).map(([name]) => name)).toEqual([]);
});
