/** Every program that connects to the database, with a real Postgres whose certificate a private CA issued. */
import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as postgresql from "@pulumi/postgresql";
import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeRootCertificates } from "../../infra/postgres/certificateFile.ts";
import { type Encryption, tlsOptions } from "../../infra/postgres/tls.ts";
import { commandFor } from "../../local/agent/images.ts";
import { choosePorts } from "../../local/platform/ports.ts";
import { type PostgresAddress, startPostgres } from "../../local/platform/postgres.ts";
import { Processes } from "../../local/platform/processes.ts";
import { withDatabase } from "../../ops/clients/database.ts";
import { issue, newAuthority } from "../helpers/certificates.ts";
import { encrypt } from "../helpers/encryptedPostgres.ts";
import { FULL } from "../helpers/full.ts";
import { openWorkshop, type Workshop } from "../../emulators/test/plugins/stacks.ts";

const PASSWORD = "tls-canary-'3'@/%";
/** Milliseconds that a program may take. */
const PATIENCE = 240_000;
const folder = mkdtempSync(join(tmpdir(), "gatehouse-tls-"));
const processes = new Processes(join(folder, "logs"), randomUUID());
const ca = newAuthority("Private CA");
const intermediate = issue(ca, "DNS:intermediate");
const other = newAuthority("Other CA");
let address: PostgresAddress;
let workshop: Workshop;

beforeAll(async () => {
  chmodSync(folder, 0o711); // Postgres runs as another user when this is root
  const { postgres } = await choosePorts(folder, { postgres: [] });
  address = await startPostgres(processes, folder, postgres, PASSWORD);
  workshop = await openWorkshop("postgresql");
});
afterAll(async () => {
  await workshop.close();
  await processes.stop([]);
  rmSync(folder, { recursive: true });
});

/** How a connection is encrypted, and the host that it names. */
interface Attempt {
  readonly sslmode: Encryption["sslmode"];
  readonly sslrootcert: string | undefined;
  readonly host: string;
}

/** Connects, and returns "" or what the program reports. */
type Program = (attempt: Attempt) => Promise<string>;

const nodePostgres: Program = ({ host, ...encryption }) => {
  const target = { ...address, host, database: "postgres", ssl: tlsOptions(encryption, host) };
  return withDatabase(target, (client) => client.query("select 1")).then(() => "", String);
};

const postgrest: Program = async (attempt) => {
  const { admin, http } = await choosePorts(folder, { admin: [], http: [] });
  const { sslmode, host } = attempt;
  const env = {
    PGRST_DB_URI: `postgres://postgres@${host}:${address.port}/postgres?sslmode=${sslmode}`,
    PGPASSWORD: PASSWORD,
    PGRST_DB_ANON_ROLE: "postgres",
    PGRST_DB_SCHEMAS: "public",
    PGRST_SERVER_PORT: String(http),
    PGRST_ADMIN_SERVER_PORT: String(admin),
    ...certificateFile("PGSSLROOTCERT", attempt),
  };
  return run("postgrest/postgrest:v14.17", [], env, {
    success: /Schema cache loaded/,
    failure: /connection to server/,
  });
};

const psql: Program = async (attempt) => {
  const env = libpq(attempt);
  const waiting = await run("postgres:18-alpine", ["pg_isready", "--timeout=5"], env);
  const refused = await run("postgres:18-alpine", ["psql", "-v", "ON_ERROR_STOP=1", "-c", "select 1"], env);
  expect(waiting === "").toBe(refused === "" || isAnswered(attempt));
  return refused;
};

const authentik: Program = (attempt) => {
  const prefix = "AUTHENTIK_POSTGRESQL__";
  const env = {
    [`${prefix}HOST`]: attempt.host,
    [`${prefix}PORT`]: String(address.port),
    [`${prefix}NAME`]: "postgres",
    [`${prefix}USER`]: "postgres",
    [`${prefix}PASSWORD`]: PASSWORD,
    [`${prefix}SSLMODE`]: attempt.sslmode,
    ...certificateFile(`${prefix}SSLROOTCERT`, attempt),
  };
  return run("ghcr.io/goauthentik/server:2026.5.7", ["ak", "worker"], env, {
    success: /"ready"/,
    failure: /not reachable yet/,
  });
};

const provider: Program = async ({ host, sslmode, sslrootcert }) => {
  const { stack, use } = await workshop.open(`s${randomUUID()}`, () => {
    const file = sslrootcert === undefined ? {} : { sslrootcert: writeRootCertificates(sslrootcert) };
    const { port, user: username } = address;
    const password = pulumi.secret(PASSWORD);
    return { provider: new postgresql.Provider("db", { host, port, username, password, sslmode, ...file }) };
  });
  use((opts) => new postgresql.Role("role", { name: `encrypted-${randomUUID()}` }, opts));
  return stack.up().then(() => "", String);
};

function certificateFile(variable: string, { sslrootcert }: Attempt): Record<string, string> {
  if (sslrootcert === undefined) return {};
  const file = join(folder, `${randomUUID()}.crt`);
  writeFileSync(file, sslrootcert);
  return { [variable]: file };
}

function libpq(attempt: Attempt): Record<string, string> {
  return {
    PGHOST: attempt.host,
    PGPORT: String(address.port),
    PGUSER: "postgres",
    PGPASSWORD: PASSWORD,
    PGDATABASE: "postgres",
    PGSSLMODE: attempt.sslmode,
    ...certificateFile("PGSSLROOTCERT", attempt),
  };
}

/** Whether the server itself refuses the connection, which is enough for pg_isready. */
function isAnswered({ sslmode }: Attempt): boolean {
  return sslmode === "disable";
}

/** Runs what the local platform runs for an image. Without `success` the program ends by itself. @returns "", or what it prints when it fails */
async function run(
  image: string,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  { success, failure }: { readonly success?: RegExp; readonly failure?: RegExp } = {},
): Promise<string> {
  const machine = { ip: "127.0.0.1", mounts: new Map<string, string>(), folder, authentik: undefined };
  const program = await commandFor(image, { ...machine, command, args: [] });
  const child = spawn(program.file, program.args, { env: { HOME: folder, ...program.env, ...env } });
  let printed = "";
  try {
    return await new Promise<string>((resolve, reject) => {
      const onText = (text: Buffer): void => {
        printed += text.toString();
        if (success?.test(printed)) resolve("");
        if (failure?.test(printed)) resolve(printed);
      };
      child.stdout.on("data", onText);
      child.stderr.on("data", onText);
      child.once("error", reject);
      setTimeout(() => resolve(`no success in ${PATIENCE} ms: ${printed}`), PATIENCE);
      child.once("close", (code) => resolve(code === 0 ? "" : printed || `exit code ${code}`));
    });
  } finally {
    child.kill("SIGKILL");
  }
}

/** The image has the original of these; the local platform emulates it. */
const libpqPrograms: Program = (attempt) => {
  const { status, stderr } = spawnSync("psql", ["-c", "select 1"], {
    env: { PATH: process.env["PATH"], HOME: folder, ...libpq(attempt) },
    encoding: "utf8",
  });
  const ready = spawnSync("pg_isready", { env: { PATH: process.env["PATH"], HOME: folder, ...libpq(attempt) } });
  expect(ready.status === 0).toBe(status === 0 || isAnswered(attempt));
  return Promise.resolve(status === 0 ? "" : stderr);
};
const hasPsql = spawnSync("psql", ["--version"]).status === 0;

// What is emulated starts Node.js, or the engine, for each connection.
describe.each<[string, Program, boolean]>([
  ["node-postgres on the deploying machine", nodePostgres, false],
  ["PostgREST", postgrest, false],
  ["psql and pg_isready of this machine", libpqPrograms, !hasPsql],
  ["the provider plugin on the deploying machine", provider, !FULL],
  ["psql and pg_isready of the local platform", psql, !FULL],
  ["authentik of the local platform", authentik, !FULL],
])("%s", (_, connect, skipped) => {
  const root = ca.certificate;

  describe.skipIf(skipped)("with a certificate for localhost", () => {
    beforeAll(() => encrypt(address, folder, issue(ca, "DNS:localhost")));

    test.each<[string, Attempt]>([
      ["verify-full", { sslmode: "verify-full", sslrootcert: root, host: "localhost" }],
      [
        "verify-full and several root certificates",
        { sslmode: "verify-full", sslrootcert: other.certificate + root, host: "localhost" },
      ],
      ["verify-ca and another host", { sslmode: "verify-ca", sslrootcert: root, host: "127.0.0.1" }],
      ["require", { sslmode: "require", sslrootcert: undefined, host: "127.0.0.1" }],
    ])("connects with %s", async (_, attempt) => {
      expect(await connect(attempt)).toBe("");
    });

    test.each<[string, Attempt]>([
      ["verify-full and another host", { sslmode: "verify-full", sslrootcert: root, host: "127.0.0.1" }],
      ["verify-full and another CA", { sslmode: "verify-full", sslrootcert: other.certificate, host: "localhost" }],
      ["verify-ca and another CA", { sslmode: "verify-ca", sslrootcert: other.certificate, host: "localhost" }],
      ["verify-full without root certificate", { sslmode: "verify-full", sslrootcert: undefined, host: "localhost" }],
      ["verify-ca without root certificate", { sslmode: "verify-ca", sslrootcert: undefined, host: "localhost" }],
      ["disable", { sslmode: "disable", sslrootcert: undefined, host: "localhost" }],
    ])("is refused with %s", async (_, attempt) => {
      const refused = await connect(attempt);
      expect(refused).not.toBe("");
      expect(refused).not.toContain("canary");
    });
  });

  test.skipIf(skipped)("connects with verify-full to an address that is in the certificate", async () => {
    await encrypt(address, folder, issue(ca, "IP:127.0.0.1"));
    expect(await connect({ sslmode: "verify-full", sslrootcert: root, host: "127.0.0.1" })).toBe("");
    expect(await connect({ sslmode: "verify-full", sslrootcert: root, host: "localhost" })).not.toBe("");
  });

  test.skipIf(skipped)("connects with the root certificate of a chain", async () => {
    const { certificate, key } = issue(intermediate, "DNS:localhost");
    await encrypt(address, folder, { certificate: certificate + intermediate.certificate, key });
    expect(await connect({ sslmode: "verify-full", sslrootcert: root, host: "localhost" })).toBe("");
  });
});

test("rejects, in PostgREST, a chain that ends at an intermediate certificate", async () => {
  const { certificate, key } = issue(intermediate, "DNS:localhost");
  await encrypt(address, folder, { certificate: certificate + intermediate.certificate, key });
  const attempt: Attempt = { sslmode: "verify-full", sslrootcert: intermediate.certificate, host: "localhost" };
  expect(await postgrest(attempt)).toContain("certificate verify failed");
});
