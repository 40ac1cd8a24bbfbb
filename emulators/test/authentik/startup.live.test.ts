/** The start of authentik and its worker: docs/authentik.md, "Blueprints and start-up". */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { choosePorts } from "../../../local/platform/ports.ts";
import { startPostgres } from "../../../local/platform/postgres.ts";
import { Processes } from "../../../local/platform/processes.ts";
import { waiting } from "./deployment.ts";
import type { Json } from "./deployment.ts";

const program = path.resolve(import.meta.dirname, "../../authentik/main.ts");
const folder = mkdtempSync(path.join(tmpdir(), "gatehouse-startup-"));
const blueprints = mkdtempSync(path.join(folder, "blueprints-"));
const processes = new Processes(path.join(folder, "logs"), randomUUID());
const children: ChildProcess[] = [];
let database: Record<string, string>;
let url: string;

beforeAll(async () => {
  chmodSync(folder, 0o711); // Postgres runs as another user when this is root
  const { postgres, http } = await choosePorts(folder, { postgres: [], http: [] });
  const address = await startPostgres(processes, folder, postgres, "startup");
  const client = new pg.Client({ ...address, database: "postgres" });
  await client.connect();
  await client.query("CREATE DATABASE authentik");
  await client.end();
  database = {
    AUTHENTIK_POSTGRESQL__HOST: address.host,
    AUTHENTIK_POSTGRESQL__PORT: String(address.port),
    AUTHENTIK_POSTGRESQL__USER: address.user,
    AUTHENTIK_POSTGRESQL__PASSWORD: address.password,
    AUTHENTIK_POSTGRESQL__SSLMODE: "disable",
  };
  url = `http://127.0.0.1:${http}`;
});
afterAll(async () => {
  for (const child of children) child.kill();
  await processes.stop([]);
  rmSync(folder, { recursive: true, force: true });
});

function run(role: string, env: Record<string, string>): ChildProcess {
  const all = { ...process.env, ...database, GATEHOUSE_EMULATOR_SEED: "7", ...env };
  const child = spawn(process.execPath, [program, role], { env: all, stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  return child;
}

const runServer = () => run("server", { AUTHENTIK_LISTEN__HTTP: new URL(url).host, AUTHENTIK_SECRET_KEY: "s" });
function runWorker(): { output: () => string } {
  const bootstrap = { AUTHENTIK_BOOTSTRAP_TOKEN: "bootstrap", AUTHENTIK_BOOTSTRAP_PASSWORD: "admin" };
  const env = { ...bootstrap, AUTHENTIK_LISTEN__HTTP: "127.0.0.1:0", AUTHENTIK_BLUEPRINTS_DIR: blueprints };
  const child = run("worker", env);
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return { output: () => output };
}

async function get(path: string): Promise<{ status: number; body: Json }> {
  const headers = { authorization: "Bearer bootstrap", accept: "application/json" };
  const answer = await fetch(`${url}/api/v3${path}`, { headers }).catch(() => undefined);
  return { status: answer?.status ?? 0, body: ((await answer?.json()) ?? {}) as Json };
}
const list = async (path: string) => ((await get(path)).body["results"] ?? []) as Json[];
const statuses = async () => (await list("/managed/blueprints/")).map((one) => one["status"]);
const group = async (name: string) => (await list(`/core/groups/?name=${name}`)).length;

const content = (name: string) => `version: 1
metadata: { name: Gatehouse groups }
entries:
  - model: authentik_core.group
    identifiers: { name: ${name} }
`;
const instance = async (path: string) => (await list(`/managed/blueprints/?path=${path}`))[0] ?? {};

test("responds with 503 while the server starts, and creates no defaults without a worker", async () => {
  runServer();
  await expect
    .poll(() => get("/root/config/"), waiting)
    .toEqual({ status: 503, body: { error: "authentik starting" } });
  await expect.poll(async () => (await get("/root/config/")).status, waiting).toBe(200);
  expect(await get("/core/groups/")).toEqual({ status: 403, body: { detail: "Token invalid/expired" } });
  const page = await fetch(`${url}/if/flow/default-authentication-flow/`);
  expect(page.status).toBe(404);
});

test("creates the defaults one after the other when the worker runs, in the order of the seed", async () => {
  const { output } = runWorker();
  const areSuccessful = async () => {
    const all = await statuses();
    return all.length > 0 && all.every((status) => status === "successful");
  };
  await expect.poll(areSuccessful, waiting).toBe(true);
  const times = (await list("/managed/blueprints/")).map((one) => one["last_applied"]);
  expect(new Set(times).size).toBeGreaterThan(5);
  expect(output()).toContain('"seed":7');
});

test("applies the worker's blueprint files, and again when they change", async () => {
  writeFileSync(path.join(blueprints, "groups.yaml"), content("first"));
  writeFileSync(path.join(blueprints, ".hidden.yaml"), content("hidden"));
  writeFileSync(path.join(blueprints, "broken.yaml"), content("x").replace("core.group", "core.nothing"));
  await expect.poll(() => instance("groups.yaml"), waiting).toMatchObject({ status: "successful", enabled: true });
  const { name, content: stored, last_applied_hash: hash } = await instance("groups.yaml");
  expect([name, stored, await group("first"), await group("hidden")]).toEqual(["Gatehouse groups", "", 1, 0]);
  await expect.poll(() => instance("broken.yaml"), waiting).toMatchObject({ status: "error", last_applied_hash: "" });
  writeFileSync(path.join(blueprints, "groups.yaml"), content("second"));
  await expect.poll(() => group("second"), waiting).toBe(1);
  expect((await instance("groups.yaml"))["last_applied_hash"]).not.toBe(hash);
});

test("keeps all objects over a restart, and applies nothing again", async () => {
  const before = await list("/managed/blueprints/?page_size=100");
  children.splice(0).forEach((child) => child.kill());
  await expect.poll(async () => (await get("/root/config/")).status, waiting).toBe(0);
  runServer();
  runWorker();
  await expect.poll(async () => (await get("/core/groups/")).status, waiting).toBe(200);
  writeFileSync(path.join(blueprints, "third.yaml"), content("third"));
  await expect.poll(() => group("third"), waiting).toBe(1);
  const after = await list("/managed/blueprints/?page_size=100");
  expect(after.filter(({ path }) => path !== "third.yaml" && path !== "broken.yaml")).toEqual(
    before.filter(({ path }) => path !== "broken.yaml"),
  );
});
