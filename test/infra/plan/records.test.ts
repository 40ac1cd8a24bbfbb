import { expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { recordOwner } from "../../../infra/plan/objectNames.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import { sections, shell, stack } from "../../config/stacks.ts";
import { always, sorted } from "./stacks.ts";

test("lists every host once in the records, under its own domain", () => {
  always((plan) => {
    const pairs = plan.records.flatMap(({ domain, hosts }) => hosts.map((host) => [domain, host]));
    expect(sorted(pairs)).toEqual(sorted(plan.exposures.map(({ domain, host }) => [domain, host])));
  });
});

test("creates one application and one outpost for each exposure with forward auth, and for no other", () => {
  always((plan, { services }) => {
    for (const exposure of plan.exposures) {
      const service = services.find(({ name }) => name === exposure.entry);
      const enforced = service?.type === "oauth2" && (service.enforce === "gateway" || exposure.role === "test");
      const isForwarded = service?.type === "proxy" || enforced;
      const isOpen = service === undefined || service.type === "oauth2";
      expect([exposure.id, exposure.authentication]).toEqual([
        exposure.id,
        isForwarded ? "forward-auth" : isOpen ? "none" : "basic-auth",
      ]);
      expect([exposure.application === undefined, exposure.outpost === undefined]).toEqual([
        !isForwarded,
        !isForwarded,
      ]);
    }
  });
});

test("gives each application and provider a unique slug", () => {
  always((plan) => {
    const slugs = [
      plan.identitySlug,
      ...plan.clients.map(({ application }) => application.slug),
      ...plan.exposures.flatMap(({ application }) => application?.slug ?? []),
    ];
    expect(slugs.filter((slug, index) => slugs.indexOf(slug) !== index)).toEqual([]);
  });
});

test("gives a client one redirect URI per exposure of its service, on exactly that origin", () => {
  always((plan, { services }) => {
    const expected = services.flatMap((service) => {
      const listed = plan.exposures.filter(({ role, entry }) => role === "service" && entry === service.name);
      if (service.type !== "oauth2" || listed.length === 0) return [];
      return [[service.name, listed.map(({ url }) => `${url}/login`)]];
    });
    expect(plan.clients.map(({ service, redirectUris }) => [service, redirectUris])).toEqual(expected);
  });
});

test("has a test environment for a service on localhost, if both are enabled", () => {
  always((plan, { services, testEnvironments }) => {
    const expected = services
      .filter(({ domains }) => testEnvironments.enabled && domains.includes("localhost"))
      .map(({ name, type, groups }) => [`whoami-${name}.localhost`, type, groups, testEnvironments.backend]);
    const found = plan.exposures
      .filter(({ role, entry }) => role === "test" && entry !== undefined)
      .map(({ host, protection, groups, backend }) => [host, protection, groups, backend]);
    expect(found).toEqual(expected);
  });
});

test("grants nothing in a private schema, now or later, and only reading elsewhere", () => {
  always((plan, { dataApi }) => {
    const granted = [...(plan.data?.grants ?? []), ...(plan.data?.defaultPrivileges ?? [])].filter(
      ({ privileges }) => privileges.length > 0,
    );
    const hidden = dataApi?.private ?? [];
    expect(granted.filter(({ schema }) => schema !== undefined && hidden.includes(schema))).toEqual([]);
    const onTables = granted.filter(({ kind }) => kind === "table" || kind === "sequence");
    expect(new Set(onTables.flatMap(({ privileges }) => privileges))).toEqual(new Set(["SELECT"]));
    expect(granted.filter(({ role }) => role === "public")).toEqual([]);
  });
});

test.each([
  ["prod", "gatehouse-prod"],
  ["gke_acme-prod_eu", "gatehouse-gke-acme-prod-eu-"],
  ["gke-acme-prod-eu", "gatehouse-gke-acme-prod-eu"],
  ["Prod.EU", "gatehouse-prod-eu-"],
  [`arn-aws-eks-eu-north-1-123456789012-cluster-${"x".repeat(40)}`, "gatehouse-arn-aws-eks-eu-north-1-123456789012-"],
])("returns a DNS label as the owner of the records of stack %s", (name, start) => {
  const owner = recordOwner(name);
  expect(owner).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
  expect(owner.startsWith(start)).toBe(true);
  // Hash of the name, where the label is another text.
  expect(owner === `gatehouse-${name}`).toBe(!start.endsWith("-"));
});

test("creates different names in an identity provider for stacks whose names differ in a character that labels exclude", () => {
  const existing = { install: false, url: "https://sso.example.org", token: "${TOKEN}" };
  const namesOf = (name: string): string[] => {
    const { data_api: _, ...raw } = sections;
    const plan = computePlan(parseStack({ ...stack({ ...raw, identity_provider: existing }), stack: name }, shell));
    return [plan.identitySlug, ...plan.outposts.flatMap((outpost) => [outpost.name, outpost.namespace])];
  };
  expect(namesOf("prod-eu").filter((name) => namesOf("prod_eu").includes(name))).toEqual([]);
});

test("revokes what PUBLIC has by default on functions of the owner, and of writers in the stack's own database only", () => {
  const creators = (database: object) =>
    computePlan(parseStack(stack({ data_api: { ...sections.data_api, database, writers: ["dbt"] } }), shell))
      .data?.defaultPrivileges.filter(({ kind }) => kind === "function")
      .map(({ owner, role, schema, privileges }) => ({ owner, role, schema, privileges }));
  const closed = (owner: string) => ({ owner, role: "public", schema: undefined, privileges: [] });
  expect(creators({ name: "shop" })).toEqual([closed("gatehouse_owner"), closed("dbt")]);
  expect(creators({ name: "shop", existing: true })).toEqual([closed("gatehouse_owner")]);
});
