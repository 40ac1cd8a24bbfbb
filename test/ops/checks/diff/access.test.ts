import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseStack } from "../../../../config/load.ts";
import { computePlan } from "../../../../infra/plan/plan.ts";
import type { Plan } from "../../../../infra/plan/types.ts";
import { accessOf } from "../../../../infra/access/access.ts";
import type { AccessFacts } from "../../../../infra/access/facts.ts";
import { accessIn, recordOf } from "../../../../infra/access/record.ts";
import { accessDiff, compareAccess } from "../../../../ops/checks/diff/diff.ts";
import type { Change } from "../../../../ops/checks/diff/entry.ts";
import { describeChanges } from "../../../../ops/checks/diff/report.ts";
import { painter } from "../../../../ops/terminal/paint.ts";
import { sections, shell, stack } from "../../../config/stacks.ts";
import { kinds, type Kinds, services, settingsOf, type Variant, variants } from "../../../infra/plan/stacks.ts";
import { samples } from "../../../helpers/full.ts";

/** Fewer than the default: each of them plans two stacks. */
const RUNS = samples(40);

const throughJson = (plan: Plan): Plan => JSON.parse(JSON.stringify(plan)) as Plan;

const groups = fc.uniqueArray(fc.constantFrom("staff", "admins", "night shift"), { maxLength: 2 });
const schemas = fc.uniqueArray(fc.constantFrom("api_v1", "marts", "raw", "extra"), { minLength: 1 });
/** A stack with a data API, machines and users, together with any list of services. */
const dataStacks = fc.record({
  exposed: schemas,
  private: fc.uniqueArray(fc.constantFrom("private_marts", "private_raw")),
  limits: fc.record({ max_rows: fc.constantFrom(10, 1000), burst: fc.constantFrom(20, 40) }),
  roles: fc.record({ anonymous: fc.constantFrom("gatehouse_anonymous", "web_anon") }),
  deprecated: fc.constantFrom({}, { raw: { since: "2026-01-01", sunset: "2027-01-01" } }),
  accounts: fc.uniqueArray(fc.record({ name: fc.constantFrom("reporter", "crawler"), groups }), {
    selector: ({ name }) => name,
  }),
  data: fc.boolean(),
});

const plans: fc.Arbitrary<Plan> = fc.oneof(
  fc
    .tuple(kinds, services, variants)
    .map(([enabled, list, variant]: [Kinds, Record<string, unknown>[], Variant]) =>
      computePlan(settingsOf(enabled, list, variant)),
    ),
  fc
    .tuple(dataStacks, services)
    .map(([{ exposed, private: hidden, limits, roles, deprecated, accounts, data }, list]) => {
      const going = Object.fromEntries(
        Object.entries(deprecated).filter(([name]) => exposed.slice(1).some((schema) => schema === name)),
      );
      const changed = {
        domains: {
          localhost: {},
          mesh: { enabled: true, base_domain: "mesh.example.org" },
          external: { enabled: false },
          partner: PARTNER,
        },
        protected_services: list,
        identity_provider: { ...sections.identity_provider, service_accounts: accounts },
        data_api: { ...sections.data_api, schemas: { exposed, private: hidden, deprecated: going }, limits, roles },
        ...(data ? {} : { data_api: undefined }),
      };
      return computePlan(parseStack(stack(changed), shell));
    }),
);
const PARTNER = { enabled: true, base_domain: "partner.example.org", protocol: "https", description: "Partner" };

/** The access that results from applying changes. */
function applyChanges(access: AccessFacts, changes: readonly Change[]): AccessFacts {
  const sections = Object.entries<ReadonlyMap<string, object>>(access);
  const result = Object.fromEntries(sections.map(([section, facts]) => [section, new Map(facts)]));
  for (const { about, id, change, field = "", after } of changes) {
    if (change === "removed") result[about]?.delete(id);
    else if (change === "added") result[about]?.set(id, { ...(after as object) });
    else result[about]?.set(id, { ...result[about].get(id), [field]: after });
  }
  return result as unknown as AccessFacts;
}

describe("statements of a diff", () => {
  test("are equal for a plan and for its recorded access", () => {
    fc.assert(
      fc.property(plans, plans, (before, after) => {
        const recorded = accessIn(recordOf(accessOf(before)));
        expect(compareAccess(recorded, accessOf(after))).toEqual(accessDiff(before, after));
        expect(compareAccess(recorded, accessOf(before))).toEqual([]);
      }),
      RUNS,
    );
  });

  test("turn the old access into the new one, also for plans that were serialized as JSON", () => {
    fc.assert(
      fc.property(plans, plans, fc.boolean(), (before, after, stored) => {
        const old = stored ? throughJson(before) : before;
        const changes = accessDiff(old, after);
        expect(applyChanges(accessOf(old), changes)).toEqual(accessOf(after));
        const opening = changes.filter(({ effect }) => effect === "public");
        expect(opening.length > 0 && opening.every(({ implied }) => implied)).toBe(false);
      }),
      RUNS,
    );
  });

  test("are empty for equal plans, also if one was serialized as JSON", () => {
    fc.assert(
      fc.property(plans, (plan) => {
        expect([
          accessDiff(plan, plan),
          accessDiff(throughJson(plan), plan),
          accessDiff(plan, throughJson(plan)),
        ]).toEqual([[], [], []]);
      }),
      RUNS,
    );
  });

  test("add everything for a new stack and remove everything for a deleted one", () => {
    fc.assert(
      fc.property(plans, (plan) => {
        expect(new Set(accessDiff(undefined, plan).map(({ change }) => change))).toEqual(new Set(["added"]));
        expect(applyChanges(accessOf(undefined), accessDiff(undefined, plan))).toEqual(accessOf(plan));
        expect(applyChanges(accessOf(plan), accessDiff(plan, undefined))).toEqual(accessOf(undefined));
        expect(accessDiff(plan, undefined).filter(({ effect }) => effect === "public" || effect === "more")).toEqual(
          [],
        );
      }),
      RUNS,
    );
  });

  test("are ordered by danger and printed unless another one implies them", () => {
    fc.assert(
      fc.property(plans, plans, (before, after) => {
        const changes = accessDiff(before, after);
        const ranks = changes.map(({ effect }) => ["public", "more", "other", "less"].indexOf(effect));
        expect(ranks).toEqual(ranks.toSorted((one, other) => one - other));
        const text = describeChanges(changes, painter(false));
        expect(text === "No access changes.").toBe(changes.every(({ implied }) => implied));
        expect(changes.length > 0 && changes.every(({ implied }) => implied)).toBe(false);
        expect(text).not.toMatch(/undefined|\[object|[\u2068\u2069]/);
      }),
      RUNS,
    );
  });
});
