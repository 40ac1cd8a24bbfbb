import { expect, test } from "vitest";
import { parseStack } from "../../../../config/load.ts";
import { computePlan } from "../../../../infra/plan/plan.ts";
import type { Inputs } from "../../../../ops/checks/doctor/inputs.ts";
import { names } from "../../../../ops/checks/doctor/dns.ts";
import type { observeName } from "../../../../ops/checks/diagnose/evidence/dns.ts";
import { sections, shell, stack } from "../../../config/stacks.ts";

/** Addresses by name; a name that is missing does not exist. */
const records = new Map<string, readonly string[]>();
const ask: typeof observeName = (host) => {
  const addresses = records.get(host);
  return Promise.resolve({ value: addresses ? { addresses } : { code: "ENOTFOUND" } });
};

const HOSTS = ["wiki", "grafana", "authentik", "data", "catalog"].map((label) => `${label}.mesh.example.org`);

async function check(targets: readonly string[], fields: object = {}) {
  const domains = { localhost: {}, mesh: { ...sections.domains.mesh, targets, ...fields } };
  const settings = parseStack(stack({ domains }), shell);
  const target = { settings, plan: computePlan(settings) };
  const [local, mesh] = await names({ target } as Pick<Inputs, "target">, ask);
  expect(local).toMatchObject({ name: "names of domain localhost", ok: true });
  return mesh;
}

function resolveTo(...addresses: string[]): void {
  for (const host of HOSTS) records.set(host, addresses);
}

const name = "names of domain mesh";

test("passes for names that resolve to the targets", async () => {
  resolveTo("203.0.113.7");
  const detail = "5 resolve to 203.0.113.7";
  expect(await check(["203.0.113.7"])).toEqual({ name, ok: true, detail });
  expect(await check([])).toEqual({ name, ok: true, detail });
});

test("passes for a domain without hosts", async () => {
  const domains = { localhost: {}, external: { ...sections.domains.mesh, targets: [] } };
  const settings = parseStack(stack({ domains }), shell);
  const plan = { ...computePlan(settings), exposures: [] };
  expect(await names({ target: { settings, plan } } as unknown as Pick<Inputs, "target">, ask)).toEqual([
    { name: "names of domain localhost", ok: true, detail: "the plan has no host on it" },
    { name: "names of domain external", ok: true, detail: "the plan has no host on it" },
  ]);
});

test("fails for names of another address", async () => {
  resolveTo("203.0.113.7");
  records.set("wiki.mesh.example.org", ["192.0.2.1"]);
  expect(await check(["203.0.113.7"])).toEqual({
    name,
    ok: false,
    detail:
      "domains.mesh.targets: other addresses\nwiki.mesh.example.org: expected the targets 203.0.113.7, got 192.0.2.1",
    hint: "delete the old records, which ExternalDNS does not change if it did not create them; or correct domains.mesh.targets",
  });
});

test("fails for missing names, and skips them where ExternalDNS creates them", async () => {
  records.clear();
  expect(await check(["203.0.113.7"])).toEqual({
    name,
    ok: true,
    skipped: true,
    detail: "5 of 5 names do not exist yet",
    hint: "ExternalDNS creates them after the deployment, with 203.0.113.7",
  });
  const found = await check([]);
  expect(found?.ok).toBe(false);
  expect(found?.detail).toMatch(/^domains\.mesh: 5 of 5 names do not resolve:\n(\S+\n){4}\S+$/);
  expect(found?.hint).toBe(
    "create a record *.mesh.example.org with the gateway's address, or set domains.mesh.targets for ExternalDNS",
  );
});

test("advises a node for each missing name of a tailnet, which has no records", async () => {
  records.clear();
  const found = await check([], { base_domain: "tail1234.ts.net" });
  expect(found?.hint).toBe("add a node of the tailnet for each name, see docs/tailnet.md");
});

test("fails for a target that does not resolve, which is the cause of the other names", async () => {
  resolveTo("203.0.113.7");
  expect(await check(["lb.example.net"])).toEqual({
    name,
    ok: false,
    detail: "domains.mesh.targets: lb.example.net does not resolve",
    hint: "create a record of that name, or correct domains.mesh.targets",
  });
});
