import { beforeAll, describe, expect, test } from "vitest";
import { added, changed, findingsOf, type Program, programOf } from "./program.ts";
import { RULES } from "../../../policy/rules/rules.ts";
import { labelOf, UNKNOWN } from "../../../manifests/resource.ts";
import { canary, PATIENCE } from "../../helpers/program.ts";
import { add, BAD_DATABASE, withHidden } from "./badDatabase.ts";
import { BAD_PODS } from "./badPods.ts";
import { BAD_ROUTES } from "./badRoutes.ts";

const BAD = [...BAD_ROUTES, ...BAD_DATABASE, ...BAD_PODS];

describe("programs that the policy pack refuses", () => {
  let good: Program;
  beforeAll(async () => {
    good = await programOf("local");
  }, PATIENCE);

  test.each(BAD)("are refused for %s", (_, make, findings) => {
    expect(findingsOf(make(good)).sort()).toEqual([...findings].sort());
  });

  test("have findings with a hint and without a secret", { timeout: PATIENCE }, () => {
    const all = BAD.flatMap(([, make]) => {
      const { resources, facts } = make(good);
      return RULES.flatMap((rule) => rule.check(resources, facts));
    });
    expect(all.filter(({ hint }) => hint === "")).toEqual([]);
    expect(JSON.stringify(all)).not.toContain("canary-");
    expect(JSON.stringify(all)).not.toContain(Buffer.from(canary("POSTGRES_PASSWORD")).toString("base64").slice(0, 20));
  });

  test("are none for the owner of a view that reads a hidden schema", () => {
    expect(findingsOf(withHidden("analyst")(good))).toEqual([]);
  });

  test("are none for a patch of annotations, a TraefikService of another application, a monitoring role, and a TLSOption of Traefik or with another name", () => {
    const template = { metadata: { annotations: { a: "b" } } };
    const patch = { metadata: { name: "web", namespace: "apps" }, spec: { template } };
    const option = (namespace: string, name: string) =>
      added(good, "kubernetes:traefik.io/v1alpha1:TLSOption", { metadata: { name, namespace } });
    const weights = {
      metadata: { name: "weights", namespace: "apps" },
      spec: { weighted: { services: [{ name: "web", port: 80 }] } },
    };
    const programs = [
      added(good, "kubernetes:traefik.io/v1alpha1:TraefikService", weights),
      added(good, "kubernetes:apps/v1:DeploymentPatch", patch),
      add("GrantRole", { role: "exporter", grantRole: "pg_monitor" })(good),
      option(good.facts.gatewayNamespace, "default"),
      option("apps", "modern"),
    ];
    expect(programs.flatMap(findingsOf)).toEqual([]);
  });

  test("are none for a grant of the plan, one that a preview does not know, and PUBLIC elsewhere in an existing database", () => {
    const grant = { role: "gatehouse_anonymous", objectType: "table", privileges: ["select"] };
    const { data } = good.facts.plan;
    if (data === undefined) throw new Error("the stack has no data API");
    const plan = { ...good.facts.plan, data: { ...data, existing: true } };
    const existing = { ...good, facts: { ...good.facts, plan } };
    const programs = [
      add("Grant", { ...grant, database: "gatehouse", schema: "api_v1" })(good),
      add("Grant", { ...grant, database: UNKNOWN, schema: "catalog" })(good),
      add("Grant", { role: "public", objectType: "database", privileges: ["CONNECT"], database: "gatehouse" })(
        existing,
      ),
    ];
    expect(programs.flatMap(findingsOf)).toEqual([]);
  });

  test("are none for forward auth at a cluster IP of version 6", () => {
    const label = good.resources.map(labelOf).find((one) => /^Middleware .*-forward-auth$/.test(one)) ?? "";
    const program = changed(good, label, (props) => {
      const { forwardAuth } = props["spec"] as { forwardAuth: { address: string } };
      forwardAuth.address = "http://[fd00::7]:9000/outpost.goauthentik.io/auth/traefik";
    });
    expect(findingsOf(program)).toEqual([]);
  });

  test("are none for a schema of the same name in another database", () => {
    const schema = { database: "other", name: "private_raw", owner: "analyst" };
    expect(findingsOf(add("Schema", schema)(good))).toEqual([]);
  });

  test("break every rule", () => {
    const broken = new Set(BAD.flatMap(([, , findings]) => findings.map((finding) => finding.split(":")[0])));
    expect([...broken].sort()).toEqual(RULES.map(({ name }) => name).sort());
  });

  test("break no rule with values that a preview does not know yet", () => {
    const { resources, facts } = good;
    const leaves = (value: unknown): unknown => {
      if (typeof value !== "object" || value === null) return UNKNOWN;
      if (Array.isArray(value)) return value.map(leaves);
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, leaves(one)]));
    };
    const names = (value: unknown, unknown: unknown) => ({
      ...(unknown as object),
      metadata: (value as { metadata?: object }).metadata,
    });
    const blind = resources.map((one) => ({ ...one, props: names(one.props, leaves(one.props)) }));
    expect(findingsOf({ resources: blind, facts })).toEqual([]);
  });
});
