import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { Shell } from "../../../ops/commands/shell.ts";
import { main } from "../../../ops/commands/verify.ts";
import { type Kind, KINDS } from "../../../ops/checks/verify/hints.ts";
import type { ProbeCheck } from "../../../ops/checks/verify/probe.ts";
import type { verifyContext } from "../../../ops/checks/verify/verify.ts";
import { devStack } from "../../helpers/devStack.ts";
import { SHELL } from "../../helpers/shell.ts";

const project = devStack("here");
let out: string;
let error: string;
let shell: Shell;
beforeEach(() => {
  out = error = "";
  const folder = project();
  shell = {
    ...SHELL,
    project: folder,
    data: folder,
    folder,
    out: (text) => void (out += text),
    error: (text) => void (error += text),
  };
});

const asked: (readonly Kind[])[] = [];
const finding = (result: Partial<ProbeCheck>): typeof verifyContext => {
  const check: ProbeCheck = {
    kind: "routes",
    subject: "http://a",
    name: "http://a answers",
    ok: true,
    detail: "200",
    ...result,
  };
  return ({ context, stack }, _place, _progress, only = KINDS) => {
    asked.push(only);
    return Promise.resolve({ context, stack, at: "2026-11-21T10:00:00.000Z", seconds: 1, routes: [], checks: [check] });
  };
};

test("returns 0 when every check passed", async () => {
  expect(await main(["here"], shell, finding({}))).toBe(0);
  expect(out).toContain("1 passed (1.0 s)");
  expect(asked.at(-1)).toEqual(KINDS);
});

test("counts skipped checks and returns 0", async () => {
  expect(await main(["here"], shell, finding({ skipped: true, hint: "do it" }))).toBe(0);
  expect(out).toContain("0 passed, 1 skipped (200)");
  expect(out).toContain("skipped: 200\n    do it\n");
});

test("returns 1 when a check failed", async () => {
  expect(await main(["here"], shell, finding({ ok: false, detail: "expected 200, got 500" }))).toBe(1);
  expect(out).toContain("✖ http://a answers: expected 200, got 500");
});

test("prints the state of each check as JSON", async () => {
  await main(["here", "--json"], shell, finding({ ok: false, hint: "fix it" }));
  expect(JSON.parse(out)).toEqual({
    context: "here",
    stack: "dev",
    at: "2026-11-21T10:00:00.000Z",
    seconds: 1,
    routes: [],
    summary: {
      passed: 0,
      failed: 1,
      skipped: 0,
    },
    checks: [
      {
        kind: "routes",
        subject: "http://a",
        name: "http://a answers",
        state: "failed",
        detail: "200",
        hint: "fix it",
      },
    ],
  });
});

test("writes JUnit into a file and prints the report", async () => {
  expect(await main(["here", "--junit", "reports/verify.xml"], shell, finding({}))).toBe(0);
  expect(readFileSync(join(project(), "reports/verify.xml"), "utf8")).toContain('<testsuites tests="1" failures="0"');
  expect(out).toContain("1 passed");
});

test.each([[["--only", "dns,routes"]], [["--only", "dns", "--only", "routes"]]])(
  "runs %j in the order of reports",
  async (only) => {
    await main(["here", ...only], shell, finding({}));
    expect(asked.at(-1)).toEqual(["routes", "dns"]);
  },
);

test.each([
  [[], "missing required argument 'context'"],
  [["here", "--only", "roads"], "--only roads: unknown kind. Use one or more of routes, sign-in,"],
  [["nowhere"], "Known contexts:\n  here (stack dev)"],
  [["here", "--jason"], "unknown option '--jason'"],
])("exits with 2 for %j", async (args, message) => {
  expect(await main(args, shell, finding({}))).toBe(2);
  expect(error).toContain(message);
  expect(out).toBe("");
});
