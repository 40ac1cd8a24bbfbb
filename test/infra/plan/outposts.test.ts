import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assignOutposts } from "../../../infra/plan/outposts.ts";
import type { Exposure } from "../../../infra/plan/types.ts";
import { oauth2, proxy, sections } from "../../config/stacks.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import { always, planOf, RUNS, settingsOf } from "./stacks.ts";

const [template] = planOf({ localhost: true }, proxy({})).exposures.filter(({ role }) => role === "service");
if (!template) throw new Error("the stack exposes nothing");
const exposures = (count: number, from = 0): Exposure[] =>
  Array.from({ length: count }, (_, index) => ({ ...template, id: `service-${index + from}@mesh` }));
/** How many providers each outpost serves, by its number. */
const loads = (assigned: readonly Exposure[]): Map<number, number> => {
  const byOutpost = Map.groupBy(
    assigned.flatMap(({ outpost }) => outpost ?? []),
    (outpost) => outpost,
  );
  return new Map([...byOutpost].map(([outpost, served]) => [outpost, served.length]));
};

describe("outposts", () => {
  test("serve no more than their capacity, of any stack, and dedicated ones are listed once each", () => {
    always((plan, { identityProvider }) => {
      const { install, providersPerOutpost } = identityProvider;
      const served = loads(plan.exposures);
      const forwarded = plan.exposures.filter(({ authentication }) => authentication === "forward-auth").length;
      if (!install || forwarded <= providersPerOutpost) {
        expect([...served]).toEqual(forwarded === 0 ? [] : [[0, forwarded]]);
      } else {
        expect(Math.max(...served.values())).toBeLessThanOrEqual(providersPerOutpost);
      }
      expect(plan.outposts).toEqual([...served.keys()].filter((number) => number > 0).sort((a, b) => a - b));
    });
  });

  test("serve no more than their capacity, of any number", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 600 }), fc.integer({ min: 1, max: 100 }), (count, capacity) => {
        const served = loads(assignOutposts(exposures(count), capacity));
        if (count <= capacity) expect([...served]).toEqual(count === 0 ? [] : [[0, count]]);
        else expect(Math.max(...served.values())).toBeLessThanOrEqual(capacity);
        expect([...served.values()].reduce((sum, one) => sum + one, 0)).toBe(count);
      }),
      RUNS,
    );
  });

  test("is the embedded one up to a hundred providers, and others past that", () => {
    const used = (count: number) => [...loads(assignOutposts(exposures(count), 100)).keys()].sort((a, b) => a - b);
    expect([used(100), used(101), used(161)]).toEqual([[0], [0, 1], [0, 1, 2]]);
  });

  test("is nothing for what asks nobody", () => {
    const [open] = assignOutposts([{ ...template, authentication: "none", outpost: 3 }], 100);
    expect(open?.outpost).toBe(undefined);
  });

  test("are shared evenly, and one service more moves few others", () => {
    const before = assignOutposts(exposures(1000), 100);
    const sizes = [...loads(before).values()];
    expect([sizes.length, Math.min(...sizes) > 50]).toEqual([13, true]);
    const after = assignOutposts([...exposures(1000), ...exposures(1, 5000)], 100);
    const moved = before.filter(({ outpost }, index) => after[index]?.outpost !== outpost);
    expect(moved.length).toBeLessThan(5);
  });

  test("have a route of their own to their Service, and the embedded one has the identity provider's", () => {
    const identityProvider = { ...sections.identity_provider, providers_per_outpost: 1 };
    const list = [proxy({ domains: ["mesh"] }), oauth2({ domains: ["mesh"], enforce: "gateway" })];
    const plan = computePlan(settingsOf({ mesh: true }, list, { identityProvider }));
    const backendOf = (outpost: number) =>
      outpost === 0 ? "authentik/authentik-server:9000" : `authentik/gatehouse-outpost-${outpost}:9000`;
    const expected = plan.exposures.flatMap(({ id, outpost }) =>
      outpost === undefined ? [] : [[id, backendOf(outpost)]],
    );
    const rules = plan.routes.find(({ name }) => name === "gatehouse-outpost-mesh")?.rules ?? [];
    expect(new Set(plan.exposures.flatMap(({ outpost }) => outpost ?? []))).toEqual(new Set([0, 1]));
    expect(
      rules.map(({ exposure, backend }) => [exposure, `${backend.namespace}/${backend.name}:${backend.port}`]),
    ).toEqual(expected);
  });
});

test("1,000 services on 3 domains are so many routes, rules, middlewares and outposts, each in step with the list", () => {
  const sizes = (count: number) => {
    const list = Array.from({ length: count }, (_, index) =>
      proxy({ name: `service-${index}`, application_slug: `service-${index}` }),
    );
    const plan = planOf({ localhost: true, mesh: true, external: true }, ...list);
    return {
      exposures: plan.exposures.length,
      routes: plan.routes.length,
      rules: plan.routes.reduce((sum, { rules }) => sum + rules.length, 0),
      middlewares: plan.middlewares.length,
      outposts: plan.outposts.length,
    };
  };
  // A service has 4 exposures with its test environment, 3 routes, and 14 rules: 2 per exposure, 2 redirects, 4 paths of outposts.
  const own = { exposures: 10, routes: 10, rules: 46 };
  const of = (count: number) => ({
    exposures: own.exposures + 4 * count,
    routes: own.routes + 3 * count,
    rules: own.rules + 14 * count,
  });
  expect(sizes(10)).toEqual({ ...of(10), middlewares: 21, outposts: 0 });
  // 50 outposts of 80 providers on average: each has two middlewares beside the services.
  expect(sizes(1000)).toEqual({ ...of(1000), middlewares: 119, outposts: 49 });
});
