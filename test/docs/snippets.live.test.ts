/** The snippets of docs/applications.md, run as a developer would, against a real token and against what must not pass. */
import { execFile, type ExecFileException } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FULL } from "../helpers/full.ts";

const run = promisify(execFile);
const snippets = join(import.meta.dirname, "../../docs/snippets");
const folder = mkdtempSync(join(tmpdir(), "gatehouse-snippets-"));
const AUDIENCE = "gatehouse-identity-staging";
const { privateKey, publicKey } = await generateKeyPair("RS256");
const other = await generateKeyPair("RS256");

let server: Server;
let issuer: string;

/** One command per language, ready to run. Go and Python are not on every machine, and their packages are downloaded. */
const commands: Record<string, readonly [string, ...string[]]> = {
  "node.mjs": [process.execPath, join(snippets, "node.mjs")],
  ...(FULL && {
    "python.py": [join(folder, "venv/bin/python"), join(snippets, "python.py")],
    "go/main.go": [join(folder, "snippet")],
  }),
};

beforeAll(async () => {
  const keys = [{ ...(await exportJWK(publicKey)), kid: "gateway", alg: "RS256", use: "sig" }];
  server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(request.url === "/identity/jwks/" ? { keys } : {}));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/identity/`;
  if (!FULL) return;
  await Promise.all([
    installPython(),
    run("go", ["build", "-o", join(folder, "snippet"), "."], { cwd: join(snippets, "go") }),
  ]);
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function installPython(): Promise<void> {
  await run("python3", ["-m", "venv", join(folder, "venv")]);
  await run(join(folder, "venv/bin/pip"), ["install", "--quiet", "-r", join(snippets, "requirements.txt")]);
}

interface Claims {
  readonly issuer?: string;
  readonly audience?: string;
  readonly expires?: string;
}

function token(
  { issuer: by = issuer, audience = AUDIENCE, expires = "1h" }: Claims,
  key = privateKey,
): Promise<string> {
  return new SignJWT({ preferred_username: "inge", groups: ["staff", "Ærlige"] })
    .setProtectedHeader({ alg: "RS256", kid: "gateway" })
    .setSubject("1")
    .setIssuer(by)
    .setAudience(audience)
    .setIssuedAt("-2h")
    .setExpirationTime(expires)
    .sign(key);
}

/** What the snippet prints; rejects when it refuses the token. */
async function verified(name: string, jwt: string): Promise<unknown> {
  const [command, ...args] = commands[name] ?? [""];
  const running = run(command, args, { env: { ...process.env, ISSUER: issuer, AUDIENCE } });
  running.child.stdin?.end(jwt);
  return JSON.parse((await running).stdout);
}

describe.each(Object.keys(commands))("docs/snippets/%s", (name) => {
  const refused = async (jwt: string): Promise<string> => {
    const error = await verified(name, jwt).then(
      () => undefined,
      (reason: unknown) => reason as ExecFileException,
    );
    expect(error?.code).toBe(1);
    return error?.stdout ?? "";
  };

  test("accepts the gateway's token", async () => {
    expect(await verified(name, await token({}))).toEqual({ preferred_username: "inge", groups: ["staff", "Ærlige"] });
  });

  test("refuses a changed one, another key's, and one without a signature", async () => {
    const [head, , signature] = (await token({})).split(".");
    const forged = Buffer.from(JSON.stringify({ preferred_username: "admin", iss: issuer, aud: AUDIENCE, exp: 4e9 }));
    const none = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");
    expect(await refused(`${head}.${forged.toString("base64url")}.${signature}`)).toBe("");
    expect(await refused(await token({}, other.privateKey))).toBe("");
    expect(await refused(`${none}.${forged.toString("base64url")}.`)).toBe("");
  });

  test("refuses an expired token, one of another issuer, and one for another audience", async () => {
    expect(await refused(await token({ expires: "-1h" }))).toBe("");
    expect(await refused(await token({ issuer: "https://elsewhere.example/" }))).toBe("");
    expect(await refused(await token({ audience: "grafana" }))).toBe("");
  });
});
