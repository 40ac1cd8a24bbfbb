/** `npx gatehouse contract` as far as it gets without a database: every wrong use, with a hint. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Project } from "./project.ts";

const POSTGRES = { host: "db.example.org", user: "admin", password: "${POSTGRES_PASSWORD}", sslmode: "require" };
let project: Project;
beforeEach(() => {
  project = new Project();
  project.writeDev(POSTGRES);
});
afterEach(() => project.remove());

describe("a wrong command line", () => {
  test.each([
    [[], /^Usage: gatehouse contract /],
    [["compare"], /^error: unknown command 'compare'/],
    [["check", "--breaking", "x"], /^error: unknown option '--breaking'/],
    [["accept", "dev", "extra"], /^error: too many arguments/],
    [["accept", "dev", "--breaking"], /^error: option '--breaking <reason>' argument missing/],
    [["accept", "dev", "--breaking", " "], /^--breaking: the reason is empty. It is written to the changelog\.\n$/],
    [["check", "prod"], /^Pulumi\.prod\.yaml: 1 problem\n/],
    [
      ["check", "dev", "--schema", "private_marts"],
      /^--schema "private_marts" is not exposed\. Name one of api_v1, marts, raw\.\n$/,
    ],
    [["check", "dev", "--schema", "../x"], /^--schema "\.\.\/x" is not exposed\. /],
  ])("exits with 2 and a message: %j", async (args, message) => {
    const { code, out, error } = await project.run(...args);
    expect([code, out]).toEqual([2, ""]);
    expect(error).toMatch(message);
  });

  test("exits with 0 for --help", async () => {
    const { code, out, error } = await project.run("check", "--help");
    expect([code, error]).toEqual([0, ""]);
    expect(out).toMatch(/^Usage: gatehouse contract check \[options\] \[stack\]\n/);
  });
});

describe("an unknown database", () => {
  test("reports a stack without a data API", async () => {
    project.writeDev(POSTGRES, null);
    expect(await project.run("check", "dev")).toEqual({
      code: 2,
      out: "",
      error: "stack dev has no data_api, so it has no contract. Add data_api to its stack file.\n",
    });
  });

  test("asks for the variable of a password that the stack file encrypts", async () => {
    expect(await project.run("check", "dev")).toEqual({
      code: 2,
      out: "",
      error:
        'postgres.password: the value of "POSTGRES_PASSWORD" is not known here. Run: ' +
        'export POSTGRES_PASSWORD="$(pulumi config get variables:POSTGRES_PASSWORD --stack dev)"\n',
    });
  });

  test("uses the only stack file without an argument, and requires a name if there are several", async () => {
    expect((await project.run("check")).error).toMatch(/^postgres\.password: .* --stack dev\)"\n$/);
    project.writeLocal(1, "");
    expect(await project.run("check")).toEqual({ code: 2, out: "", error: "name a stack: dev, local\n" });
  });

  test("asks to start the local stack if it was never started", async () => {
    project.writeLocal(1, "");
    expect(await project.run("check", "local")).toEqual({
      code: 2,
      out: "",
      error: 'postgres.password: the value of "POSTGRES_PASSWORD" is not known here. Run npm start first.\n',
    });
  });

  test("rejects a URL on the command line without printing it", async () => {
    expect(await project.run("check", "dev", "--database-url-from", "postgres://me:canary@h/d")).toEqual({
      code: 2,
      out: "",
      error:
        "--database-url-from takes the name of an environment variable, not the URL itself. Put the URL into a variable.\n",
    });
  });

  test.each([
    "",
    "canary",
    "https://me:canary@h/d",
    "postgres://me:canary@h/d?sslmode=prefer",
    "postgres://me:canary@h/d?sslmode=constructor",
    "postgres://me:canary@h/d?sslmode=require&sslrootcert=/ca.crt",
    "postgres://me:canary@h:x/d",
    "postgres:canary",
    "postgres://me:%canary@h/d",
  ])("rejects a variable with %j without printing its value", async (url) => {
    project.environment["SCRATCH"] = url;
    const { code, out, error } = await project.run("check", "dev", "--database-url-from", "SCRATCH");
    expect([code, out]).toEqual([2, ""]);
    expect(error).toBe(`SCRATCH${NOT_A_URL}`);
  });
});

test("rejects a URL with an unreadable certificate file", async () => {
  project.environment["SCRATCH"] = "postgres://me:canary@h/d?sslmode=verify-full&sslrootcert=/nowhere/ca.crt";
  expect(await project.run("check", "dev", "--database-url-from", "SCRATCH")).toEqual({
    code: 2,
    out: "",
    error: "cannot read /nowhere/ca.crt. Name the file with the root certificate in sslrootcert.\n",
  });
});

const NOT_A_URL =
  " is not set to a connection URL. Write it like " +
  "postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=disable, require, verify-ca or verify-full.\n";

describe("an invalid lock file", () => {
  test.each([
    ["{", "contract/dev/api_v1.json is not a lock file. Correct it, or run: git restore contract/dev/api_v1.json\n"],
    [
      '{"schema":"marts","relations":{}}',
      'contract/dev/api_v1.json is the lock file of "marts". Rename it, or correct its schema.\n',
    ],
  ])("exits with 2 and a message: %s", async (text, error) => {
    project.environment["SCRATCH"] = "postgres://me@127.0.0.1:1/x";
    project.write("contract/dev/api_v1.json", text);
    expect(await project.run("check", "dev", "--database-url-from", "SCRATCH")).toEqual({ code: 2, out: "", error });
  });
});
