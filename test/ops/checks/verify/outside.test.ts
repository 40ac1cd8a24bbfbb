/** Which probes a plan gets, and what is skipped where no user can sign in. */
import { describe, expect, test } from "vitest";
import { parseStack } from "../../../../config/load.ts";
import { computePlan } from "../../../../infra/plan/plan.ts";
import { outsideTarget } from "../../../../infra/verification/outsideTarget.ts";
import type { OutsideTarget } from "../../../../infra/verification/target.ts";
import { outsideProbes, Observations } from "../../../../ops/checks/verify/outside.ts";
import type { Probe } from "../../../../ops/checks/verify/probe.ts";
import type { Accounts } from "../../../../ops/checks/verify/signInProbes.ts";
import { shell, stack } from "../../../config/stacks.ts";

const settings = parseStack(
  stack({
    domains: {
      localhost: {},
      mesh: { enabled: true, base_domain: "mesh.example.org", targets: ["203.0.113.7"] },
      external: { enabled: false, base_domain: "off.example.org" },
      partner: { enabled: false, base_domain: "${PARTNER}", protocol: "https", description: "off" },
    },
  }),
  shell,
);
const target = outsideTarget(settings, computePlan(settings));
const noAccount: Accounts = {
  users: [],
  machine: undefined,
  basic: new Map(),
  noAccount: {
    reason: "no account that can sign in",
    hint: "add a service account",
  },
};
const probes = (accounts: Accounts = noAccount, of: OutsideTarget = target): Probe[] =>
  outsideProbes(of, accounts, new Observations());
const kindsOf = (subject: string): string[] =>
  probes().flatMap((probe) => (probe.subject === subject ? [probe.kind] : []));

test("probes every exposure by its protection, TLS and role", () => {
  expect(new Set(probes().flatMap(({ kind, subject }) => (kind === "routes" ? [subject] : [])))).toEqual(
    new Set(target.exposures.map(({ url }) => url)),
  );
  expect(kindsOf("http://wiki.localhost")).toEqual(["routes", "sign-in", "dns"]);
  expect(kindsOf("https://wiki.mesh.example.org")).toEqual(["routes", "sign-in", "dns", "certificates"]);
  expect(kindsOf("http://whoami-public.localhost")).toEqual(["routes", "spoofs", "dns"]);
  expect(kindsOf("https://data.mesh.example.org")).toEqual(["routes", "dns", "certificates", "data-api"]);
  expect(kindsOf("https://catalog.mesh.example.org")).toEqual(["routes", "dns", "certificates", "catalog"]);
});

test("probes each host of the stack on each disabled domain, and skips a domain without a known base domain", async () => {
  const off = probes().filter(({ kind }) => kind === "domains");
  const count = (subject: string): number => off.filter((probe) => probe.subject === subject).length;
  expect([count("domain external"), count("domain partner"), count("any other host")]).toEqual([6, 1, 1]);
  expect(target.disabled[0]?.hosts).toEqual(
    ["authentik", "data", "catalog", "wiki", "grafana", "legacy"].map((label) => `${label}.off.example.org`),
  );
  expect(await off.find(({ subject }) => subject === "domain partner")?.run()).toEqual([
    {
      name: "its hosts are not routed",
      ok: true,
      skipped: true,
      detail: "its base domain ${PARTNER} is not resolved while the domain is disabled",
      hint: "write domains.partner.base_domain in plain text, so that verify requests its hosts",
    },
  ]);
});

test("skips the check of headers without a host of the echo service", async () => {
  const exposures = target.exposures.filter(({ role }) => role !== "test");
  const headers = (of: OutsideTarget) => probes(noAccount, of).find(({ subject }) => subject === "identity headers");
  expect(headers(target)).toBeUndefined();
  expect(headers({ ...target, exposures })?.kind).toBe("spoofs");
  expect(await headers({ ...target, exposures })?.run()).toEqual([
    {
      name: "no forged identity header arrives",
      ok: true,
      skipped: true,
      detail: "no host shows which headers arrive: the stack has no test environments",
      hint: "run npx gatehouse audit, which compares the middlewares that remove the headers; test environments need the domain localhost",
    },
  ]);
});

const signIn = async (subject: string, accounts: Accounts, of = target) =>
  probes(accounts, of)
    .find((probe) => probe.kind === "sign-in" && probe.subject === subject)
    ?.run();

test("skips a sign-in without an account, with the reason", async () => {
  expect(await signIn("http://wiki.localhost", noAccount)).toEqual([
    {
      name: "sign-in to http://wiki.localhost",
      ok: true,
      skipped: true,
      detail: "no account that can sign in",
      hint: "add a service account",
    },
  ]);
  const [basic] = (await signIn("http://legacy.localhost", noAccount)) ?? [];
  expect(basic).toMatchObject({ skipped: true, detail: 'the password of "legacy" is not known here' });
});

/** @param groups of the machine; client ids by origin */
const machine = (groups: readonly string[], clientIds: Readonly<Record<string, string>> = {}): Accounts => {
  const account = { username: "verifier", password: "canary", tokenUrl: "", scope: "" };
  return { ...noAccount, machine: { account: { ...account, clientIds: new Map(Object.entries(clientIds)) }, groups } };
};

test("fails for a machine without a client id for a service of its groups", async () => {
  expect(await signIn("http://wiki.localhost", machine([]))).toEqual([
    {
      name: "verifier calls http://wiki.localhost as a machine",
      ok: false,
      hint: "deploy again",
      detail: "the Secret verifier-account has no client id for it",
    },
  ]);
});

describe("a stack with allowed groups", () => {
  const limited = withGroups(["staff"]);

  test("skips the refusal of a machine without access to any service, since a wrong password is refused, too", async () => {
    expect(await signIn("http://wiki.localhost", machine([]), limited)).toEqual([
      {
        name: "verifier is denied at http://wiki.localhost",
        ok: true,
        skipped: true,
        detail: "verifier has access to no service, and authentik refuses a wrong password in the same way",
        hint: "add the groups of one service to service account verifier, and deploy",
      },
    ]);
  });

  test("reports once that a machine in a group of every service tests no refusal", async () => {
    expect(await signIn("allowed groups", machine(["staff"]), limited)).toEqual([
      {
        name: "users outside of the allowed groups are denied",
        ok: true,
        skipped: true,
        detail: "verifier is in a group of every service",
        hint: "leave service account verifier out of the groups of some services, and deploy",
      },
    ]);
    const ids = { "http://whoami-wiki.localhost": "client" };
    expect(await signIn("allowed groups", machine(["other"], ids), limited)).toBeUndefined();
    expect(await signIn("allowed groups", machine(["staff"]))).toBeUndefined();
    expect(await signIn("allowed groups", noAccount, limited)).toBeUndefined();
  });
});

/** Returns the target whose exposures behind forward auth have these groups. */
function withGroups(groups: readonly string[]): OutsideTarget {
  const exposures = target.exposures.map((one) => (one.application ? { ...one, groups } : one));
  return { ...target, exposures };
}
