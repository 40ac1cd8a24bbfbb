import type { KubeConfig } from "@kubernetes/client-node";
import { describe, expect, test } from "vitest";
import { parseStack } from "../../../../config/load.ts";
import { computePlan } from "../../../../infra/plan/plan.ts";
import type { Inputs, ReachedCluster } from "../../../../ops/checks/doctor/inputs.ts";
import { externalDns, names } from "../../../../ops/checks/doctor/dns.ts";
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

describe("an ExternalDNS", () => {
  const domains = { localhost: {}, mesh: { ...sections.domains.mesh, targets: ["203.0.113.7"] } };
  const settings = parseStack(stack({ domains }), shell);
  const inputs = { target: { settings, plan: computePlan(settings) } } as unknown as Inputs;

  interface Deployment {
    readonly name?: string;
    readonly args: readonly string[];
    readonly replicas?: number;
  }

  async function found(...deployments: readonly Deployment[]) {
    const items = deployments.map(({ name = "external-dns", args, replicas }) => ({
      metadata: { name, namespace: "dns" },
      spec: { replicas, template: { spec: { containers: [{ image: "k8s.io/external-dns:v0.19.0", args }] } } },
    }));
    const listDeploymentForAllNamespaces = () => Promise.resolve({ items });
    const config = { makeApiClient: () => ({ listDeploymentForAllNamespaces }) } as unknown as KubeConfig;
    const facts = { version: "v1.36.4", uid: "uid", kinds: [], traefik: undefined, identityService: undefined };
    return (await externalDns(inputs, { config, facts } satisfies ReachedCluster)).at(-1);
  }

  const CRD = "--source=crd";
  const OWNER = "gatehouse.dev/owner=gatehouse-dev";
  const passes = { name: "ExternalDNS", ok: true, detail: "dns/external-dns reads DNSEndpoints" };
  const fails = (detail: string, hint: string) => ({ name: "ExternalDNS", ok: false, detail, hint });

  test.each([
    [[]],
    [["--namespace=default"]],
    [["--namespace="]],
    [[`--label-filter=${OWNER}`]],
    [["--label-filter", "gatehouse.dev/owner==gatehouse-dev"]],
  ])("passes with %j, which its records match", async (args) => {
    expect(await found({ args: [CRD, ...args], replicas: 1 })).toEqual(passes);
  });

  const reads = "dns/external-dns reads only DNSEndpoints";
  const labels = `remove the argument --label-filter, or let it select ${OWNER}`;
  const annotations = "remove the argument --annotation-filter, or let it select objects without annotations";
  test.each([
    [
      "--namespace=external-dns",
      `${reads} in namespace external-dns, and those of the stack are in default`,
      "remove the argument --namespace",
    ],
    ["--label-filter=team=infra", `${reads} with the labels team=infra`, labels],
    [`--label-filter=${OWNER},team=infra`, `${reads} with the labels ${OWNER},team=infra`, labels],
    ["--annotation-filter=team=infra", `${reads} with the annotations team=infra`, annotations],
  ])("fails with %s, which its records do not match", async (arg, detail, hint) => {
    expect(await found({ args: [CRD, arg] })).toEqual(fails(detail, hint));
  });

  test("fails without replicas", async () => {
    expect(await found({ args: [CRD], replicas: 0 })).toEqual(
      fails("dns/external-dns has no replicas", "scale it to one replica"),
    );
  });

  test("is skipped for a filter that is not a list of name=value", async () => {
    expect(await found({ args: [CRD, "--label-filter=team notin (infra)"] })).toEqual({
      name: "ExternalDNS",
      ok: true,
      skipped: true,
      detail: `${reads} with the labels team notin (infra)`,
      hint: labels,
    });
  });

  test("passes next to one that does not read the records, and is not replaced by one that manages another domain", async () => {
    const idle = { name: "idle", args: [CRD], replicas: 0 };
    expect(await found(idle, { args: [CRD] })).toEqual(passes);
    expect(await found(idle, { args: [CRD, "--domain-filter=example.net"] })).toEqual(
      fails("dns/external-dns does not manage mesh.example.org", "add mesh.example.org to its --domain-filter"),
    );
    expect(await found(idle, { args: [CRD, "--namespace=a"] })).toEqual(
      fails(
        `dns/idle has no replicas\n${reads} in namespace a, and those of the stack are in default`,
        "scale it to one replica",
      ),
    );
  });
});
