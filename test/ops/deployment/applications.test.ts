import { expect, test } from "vitest";
import { verifyApplications } from "../../../ops/deployment/verification.ts";
import type { Report } from "../../../ops/checks/verify/verify.ts";
import { SILENT } from "../../../ops/terminal/progress.ts";

const NOTES = "http://notes.localhost";
const EXPOSURES = [
  { url: NOTES, authentication: "none", protection: "oauth2" },
  { url: "http://whoami.localhost", authentication: "forward-auth", protection: "proxy" },
  { url: "https://notes.example.org", authentication: "none", protection: "oauth2" },
] as const;

type Failures = readonly (readonly [kind: string, subject: string])[];

/** Verifies with these failures in turn, the last ones again and again. */
async function verified(rounds: readonly Failures[]): Promise<{ failed: number; calls: (string | undefined)[] }> {
  const left = [...rounds];
  const calls: (string | undefined)[] = [];
  const verify = (only?: readonly string[]): Promise<Report> => {
    calls.push(only?.join());
    const failures = (left.length > 1 ? left.shift() : left[0]) ?? [];
    const checks = failures.map(([kind, subject]) => ({ kind, subject, name: subject, ok: false, detail: "502" }));
    return Promise.resolve({ checks } as unknown as Report);
  };
  const { checks } = await verifyApplications({ verify, exposures: EXPOSURES, progress: SILENT }, 50);
  return { failed: checks.length, calls };
}

test("runs all checks once when they pass", async () => {
  expect(await verified([[]])).toEqual({ failed: 0, calls: [undefined] });
});

test("polls the sign-ins, then runs all checks, when an application cannot resolve its identity provider yet", async () => {
  expect(await verified([[["sign-in", NOTES]], []])).toEqual({
    failed: 0,
    calls: [undefined, "sign-in", undefined],
  });
});

test("polls the sign-ins when an application does not start without the name of its identity provider", async () => {
  const failures = [
    ["cluster", NOTES],
    ["routes", NOTES],
    ["sign-in", NOTES],
  ] as const;
  expect(await verified([failures, []])).toEqual({ failed: 0, calls: [undefined, "sign-in", undefined] });
});

test("returns the failure of an application that stays unavailable", async () => {
  const { failed, calls } = await verified([[["sign-in", NOTES]]]);
  expect(failed).toBe(1);
  expect(new Set(calls.slice(1))).toEqual(new Set(["sign-in"]));
});

test.each<readonly [string, Failures]>([
  ["another check of that host alone", [["routes", NOTES]]],
  [
    "another check as well",
    [
      ["sign-in", NOTES],
      ["grants", "database gatehouse"],
    ],
  ],
  ["a host behind forward auth", [["sign-in", "http://whoami.localhost"]]],
  ["a host outside of localhost", [["sign-in", "https://notes.example.org"]]],
])("returns at once when %s failed", async (_, failures) => {
  expect(await verified([failures, []])).toEqual({ failed: failures.length, calls: [undefined] });
});
