/** Which database `npx gatehouse contract` reads, and what it reports if it cannot. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { issue, newAuthority } from "../../../helpers/certificates.ts";
import { encrypt } from "../../../helpers/encryptedPostgres.ts";
import { startTestDatabase, type TestDatabase } from "./database.ts";
import { Project } from "./project.ts";

const PASSWORD = "contract-canary-'1'@/%";
let database: TestDatabase;
let project: Project;
beforeAll(async () => {
  database = await startTestDatabase(PASSWORD);
  await database.client.query("create database gatehouse");
  project = new Project();
});
afterAll(async () => {
  project.remove();
  await database.close();
});

describe("the database of the stack", () => {
  test("is reached with the password from the environment", async () => {
    const { port } = database.address;
    project.writeDev({ host: "127.0.0.1", port, password: "${POSTGRES_PASSWORD}", sslmode: "disable" });
    project.environment["POSTGRES_PASSWORD"] = PASSWORD;
    const { code, out } = await project.run("check", "dev", "--schema", "raw");
    expect([code, out]).toEqual([
      0,
      "raw: no contract yet. To accept the current columns:\n  npx gatehouse contract accept dev --schema raw\n",
    ]);
  });

  test("is the one of the last local start for the local stack, for any environment", async () => {
    project.writeLocal(database.address.port, PASSWORD);
    project.environment["POSTGRES_PASSWORD"] = "another";
    project.environment["POSTGRES_PORT"] = "1";
    expect((await project.run("check", "local")).out).toBe(
      "api_v1: no contract yet. To accept the current columns:\n  npx gatehouse contract accept local --schema api_v1\n",
    );
  });

  test("is reported without its password if it is unreachable", async () => {
    const { port } = database.address;
    const wrong = "wrong-canary-2";
    project.writeLocal(port, wrong);
    const refused = await project.run("check", "local");
    expect([refused.code, refused.out]).toEqual([2, ""]);
    expect(refused.error).toBe(
      `cannot reach database gatehouse on 127.0.0.1:${port} as postgres: ` +
        'password authentication failed for user "postgres". ' +
        "Start it (npm start for the local one), or pass an address that this machine can reach with --database-url-from.\n",
    );
    project.writeLocal(1, wrong);
    const closed = await project.run("check", "local");
    expect([closed.code, closed.out]).toEqual([2, ""]);
    expect(closed.error).toMatch(
      /^cannot reach database gatehouse on 127\.0\.0\.1:1 as postgres: connect ECONNREFUSED/,
    );
    expect(closed.error).not.toContain(wrong);
  });

  test("is reported if the connection ends during a query", async () => {
    const proxy = createServer((client) => {
      const server = connect(database.address.port, "127.0.0.1");
      server.pipe(client);
      client.on("data", (data) => (data.includes("pg_constraint") ? server.destroy() : server.write(data)));
      server.on("close", () => client.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const { port } = proxy.address() as AddressInfo;
    project.writeLocal(port, PASSWORD);
    const { code, out, error } = await project.run("check", "local");
    proxy.close();
    expect([code, out, error]).toEqual([
      2,
      "",
      `cannot read database gatehouse on 127.0.0.1:${port}: Connection terminated unexpectedly\n`,
    ]);
  });

  test("is not reached without TLS if the stack requires TLS", async () => {
    const { port } = database.address;
    project.environment["SCRATCH"] =
      `postgres://postgres:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres?sslmode=require`;
    const { code, error } = await project.run("check", "dev", "--database-url-from", "SCRATCH");
    expect(code).toBe(2);
    expect(error).toContain("The server does not support SSL connections");
    expect(error).not.toContain("canary");
  });
});

describe("a database with a certificate of a private CA", () => {
  const other = newAuthority("Other CA");
  const ca = newAuthority("Private CA");
  beforeAll(() => encrypt(database.address, database.folder, issue(ca, "DNS:localhost")));

  const stackWith = (fields: Record<string, unknown>) => {
    const { port } = database.address;
    project.writeDev({ host: "localhost", port, password: "${POSTGRES_PASSWORD}", ...fields });
    project.environment["POSTGRES_PASSWORD"] = PASSWORD;
    return project.run("check", "dev", "--schema", "raw");
  };
  const urlWith = (host: string, certificate: string) => {
    const file = join(database.folder, "client-root.crt");
    writeFileSync(file, certificate);
    const login = `postgres:${encodeURIComponent(PASSWORD)}`;
    const options = `sslmode=verify-full&sslrootcert=${encodeURIComponent(file)}`;
    project.environment["SCRATCH"] = `postgres://${login}@${host}:${database.address.port}/gatehouse?${options}`;
    return project.run("check", "dev", "--schema", "raw", "--database-url-from", "SCRATCH");
  };

  test("is reached with the root certificate of the stack", async () => {
    expect((await stackWith({ sslmode: "verify-full", sslrootcert: ca.certificate })).code).toBe(0);
    expect((await stackWith({ sslmode: "verify-ca", sslrootcert: ca.certificate, host: "127.0.0.1" })).code).toBe(0);
  });

  test("is reached with the root certificate of a connection URL", async () => {
    expect((await urlWith("localhost", ca.certificate)).code).toBe(0);
  });

  test.each<[string, () => ReturnType<Project["run"]>, string]>([
    [
      "of the stack, for another CA",
      () => stackWith({ sslmode: "verify-full", sslrootcert: other.certificate }),
      "unable to verify the first certificate",
    ],
    [
      "of the stack, for another host",
      () => stackWith({ sslmode: "verify-full", sslrootcert: ca.certificate, host: "127.0.0.1" }),
      "IP: 127.0.0.1 is not in the cert's list",
    ],
    [
      "of a URL, for another CA",
      () => urlWith("localhost", other.certificate),
      "unable to verify the first certificate",
    ],
    [
      "of a URL, for another host",
      () => urlWith("127.0.0.1", ca.certificate),
      "IP: 127.0.0.1 is not in the cert's list",
    ],
  ])("is rejected with the root certificate %s", async (_, run, reason) => {
    const { code, out, error } = await run();
    expect([code, out]).toEqual([2, ""]);
    expect(error).toContain(reason);
    expect(error).not.toContain("canary");
  });
});
