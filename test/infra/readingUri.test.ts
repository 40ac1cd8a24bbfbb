import { describe, expect, test } from "vitest";
import type { SecretText } from "../../config/settings.ts";
import { type PostgresConnection, readingUri } from "../../infra/postgres/connection.ts";
import { record } from "../helpers/recorder.ts";

describe("PostgREST's URI", () => {
  const password: SecretText = { template: "${POSTGRES}", variables: ["POSTGRES"] };
  const access = (host: string, replicas?: string): PostgresConnection => ({
    user: "postgres",
    superuser: true,
    password,
    replicas,
    protect: false,
    inCluster: {
      host,
      port: 5432,
      sslmode: "require",
      peers: undefined,
    },
  });
  const uriOf = async (from: PostgresConnection, version: string): Promise<string> => {
    const { result } = await record(
      () =>
        new Promise<string>((resolve) => {
          readingUri(from, version, { user: "p%41:/?#[]@ &'=", database: "a/b" }).apply(resolve);
        }),
    );
    return result;
  };
  const login = "postgres://p%2541%3A%2F%3F%23%5B%5D%40%20%26'%3D@";

  test("is percent-encoded", async () => {
    expect(await uriOf(access("db.example.org"), "v14.17")).toBe(`${login}db.example.org:5432/a%2Fb?sslmode=require`);
    expect(await uriOf(access("fd00::9"), "v14.17")).toBe(`${login}[fd00::9]:5432/a%2Fb?sslmode=require`);
  });

  test("names the primary alone for a version that would listen on a replica", async () => {
    expect(await uriOf(access("rw", "ro"), "v12.0.2")).toBe(`${login}rw:5432/a%2Fb?sslmode=require`);
  });
});
