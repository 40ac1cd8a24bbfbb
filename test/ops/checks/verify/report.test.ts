import { expect, test } from "vitest";
import { type Check, skip, stateOf, summary } from "../../../../ops/checks/check.ts";
import { junit } from "../../../../ops/checks/verify/junit.ts";
import { hintOf, KINDS } from "../../../../ops/checks/verify/hints.ts";
import { type ProbeCheck, runProbes } from "../../../../ops/checks/verify/probe.ts";
import { describeChecks } from "../../../../ops/checks/verify/report.ts";

const plain = (_: unknown, text: string): string => text;
const WHOAMI = "http://whoami.localhost:8080";

const passed: ProbeCheck = {
  kind: "routes",
  subject: WHOAMI,
  ok: true,
  name: `${WHOAMI} without a session`,
  detail: "302 → http://authentik.localhost:8080",
};
const failed: ProbeCheck = {
  kind: "dns",
  subject: WHOAMI,
  ok: false,
  hint: "run: npx gatehouse diagnose here whoami.localhost",
  name: "whoami.localhost resolves",
  detail: "expected the targets 203.0.113.7, got 198.51.100.1",
};
const skipped = (name: string): ProbeCheck => ({
  kind: "sign-in",
  subject: WHOAMI,
  ...skip(name, "no account that can sign in", "add a service account"),
});

test("counts skipped checks neither as passed nor as failed", () => {
  expect([passed, failed, skipped("x")].map(stateOf)).toEqual(["passed", "failed", "skipped"]);
  expect(summary([passed, failed, skipped("x"), skipped("y")])).toEqual({ passed: 1, failed: 1, skipped: 2 });
});

test("prints a table by subject, failed and skipped checks with hints, and a summary", () => {
  const text = describeChecks([passed, failed, skipped("sign-in to a"), skipped("sign-in to b")], 1.25, plain);
  const [table = "", rest = ""] = text.split("┘\n");
  expect(table.match(/whoami\.localhost:8080/g)).toHaveLength(1);
  expect(table).toContain("│ ✔ │ without a session");
  expect(table).toContain("│ ✖ │ resolves");
  expect(rest.split("\n")).toEqual([
    "✖ whoami.localhost resolves: expected the targets 203.0.113.7, got 198.51.100.1",
    "    run: npx gatehouse diagnose here whoami.localhost",
    "– sign-in to a (and 1 more): skipped: no account that can sign in",
    "    add a service account",
    "1 passed, 1 failed, 2 skipped (no account that can sign in) (1.3 s)",
    "",
  ]);
});

test("lists only subjects with a problem if there are many", () => {
  const many = Array.from({ length: 70 }, (_, i) => ({ ...passed, subject: `http://s${i}.localhost` }));
  const text = describeChecks([...many, failed], 1, plain);
  expect(text).toContain("and 70 subjects whose checks all passed");
  expect(text).not.toContain("http://s1.localhost");
  expect(text).toContain(WHOAMI);
});

test("writes a JUnit suite per subject with failed and skipped test cases", () => {
  const xml = junit({
    checks: [passed, failed, skipped("sign-in to a")],
    context: "here",
    at: "2026-11-21T10:00:00.000Z",
    seconds: 2,
  });
  expect(xml).toContain('<testsuites tests="3" failures="1" errors="0" skipped="1">');
  expect(xml).toContain(`<testsuite name="${WHOAMI}"`);
  expect(xml).toContain('<testcase classname="gatehouse.dns" name="whoami.localhost resolves">');
  expect(xml).toMatch(
    /<failure message="expected the targets 203\.0\.113\.7, got 198\.51\.100\.1[^"]*npx gatehouse diagnose/,
  );
  expect(xml).toMatch(/<skipped\/>\s*<system-out>/);
});

test("escapes the text of a response in JUnit", () => {
  const checks = [{ ...failed, detail: '</testcase><x a="b">\u0000' }];
  const xml = junit({ checks, context: "here", at: "", seconds: 0 });
  expect(xml).not.toContain("</testcase><x");
  expect(xml).toContain("&lt;/testcase>&lt;x a=&quot;b&quot;>");
  // XML 1.0 permits no NUL (2.2, Characters).
  expect(xml).not.toContain("\u0000");
});

test("runs at most 16 probes at once, and returns results in order", async () => {
  let running = 0;
  let most = 0;
  const probe = (index: number) => ({
    kind: "routes" as const,
    subject: `s${index}`,
    run: async (): Promise<Check[]> => {
      most = Math.max(most, ++running);
      for (let turn = 0; turn < 100 - index; turn++) await Promise.resolve();
      running--;
      return [
        {
          name: `c${index}`,
          ok: true,
          detail: "",
        },
      ];
    },
  });
  const progress: string[] = [];
  const results = await runProbes(
    Array.from({ length: 50 }, (_, index) => probe(index)),
    (detail) => progress.push(detail),
  );
  expect(results.map(({ subject, name }) => `${subject} ${name}`)).toEqual(
    Array.from({ length: 50 }, (_, index) => `s${index} c${index}`),
  );
  expect(most).toBe(16);
  expect(progress.at(-1)).toBe("50 of 50");
});

test("returns a failed check for a probe that throws", async () => {
  const run = (): Promise<Check[]> => Promise.reject(Object.assign(new Error(""), { code: "ECONNREFUSED" }));
  expect(await runProbes([{ kind: "cluster", subject: "cluster here", run }])).toEqual([
    { kind: "cluster", subject: "cluster here", name: "cluster of cluster here", ok: false, detail: "ECONNREFUSED" },
  ]);
});

test("replaces the control and format characters of a host's response, but no line breaks", async () => {
  const [detail, response] = ["got \u009b2J\u202edaed", "text: \u001b[9A\u001b[J✔ fine\nline\r\t\u007f"];
  const run = (): Promise<Check[]> => Promise.resolve([{ name: "a", ok: false, detail, response }]);
  expect(await runProbes([{ kind: "routes", subject: "s", run }])).toEqual([
    {
      kind: "routes",
      subject: "s",
      name: "a",
      ok: false,
      detail: "got ?2J?daed",
      response: "text: ?[9A?[J✔ fine\nline???",
    },
  ]);
});

test("has a hint with a command for every kind", () => {
  const here = { context: "here", given: "here" };
  expect(hintOf({ kind: "routes", subject: WHOAMI }, here)).toBe("run: npx gatehouse diagnose here whoami.localhost");
  // A deployment without a refresh changes nothing that was changed in the cluster or the database.
  for (const kind of ["data-api", "catalog", "database"] as const)
    expect(hintOf({ kind, subject: "" }, here)).toMatch(/^run: npx gatehouse deploy here --refresh, /);
  for (const kind of KINDS) expect(hintOf({ kind, subject: "domain mesh" }, here)).not.toContain("undefined");
});

test("has the name of the kubeconfig for kubectl, and the given name, which only one stack has, for other commands", () => {
  const names = { context: "admin@default", given: "it's prod" };
  expect(hintOf({ kind: "audit", subject: "" }, names)).toBe("run: npx gatehouse audit 'it'\\''s prod'");
  expect(hintOf({ kind: "cluster", subject: "" }, { ...names, context: "a b" })).toMatch(
    /^kubectl --context 'a b' get pods/,
  );
});
