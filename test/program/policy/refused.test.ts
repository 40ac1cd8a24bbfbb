import { beforeAll, describe, expect, test } from "vitest";
import { findingsOf, type Program, programOf } from "./program.ts";
import { RULES } from "../../../policy/rules/rules.ts";
import { UNKNOWN } from "../../../manifests/resource.ts";
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
