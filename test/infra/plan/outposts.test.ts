import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Settings } from "../../../config/settings.ts";
import { type ForwardedExposure, isForwarded } from "../../../infra/plan/exposure.ts";
import { assignOutposts, providerOf } from "../../../infra/plan/outposts.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import type { Exposure } from "../../../infra/plan/types.ts";
import { oauth2, proxy, sections } from "../../config/stacks.ts";
import { always, kinds, planOf, RUNS, services, settingsOf, variants } from "./stacks.ts";

const [template] = planOf({ localhost: true }, proxy({})).exposures.filter(({ role }) => role === "service");
if (!template) throw new Error("the stack exposes nothing");
const exposures = (count: number, from = 0): Exposure[] =>
  Array.from({ length: count }, (_, index) => ({ ...template, id: `service-${index + from}@mesh` }));
const settingsWith = (fields: Record<string, unknown>): Settings =>
  settingsOf({ localhost: true }, [], { identityProvider: { ...sections.identity_provider, ...fields } });
const withCapacity = (providers_per_outpost: number): Settings => settingsWith({ providers_per_outpost });

/** What all providers of an outpost must have in common. */
const combination = ({ groups, session, url }: Exposure): string =>
  JSON.stringify([[...groups].sort(), session, new URL(url).protocol]);
/** The exposures of each outpost, by its name. */
const byOutpost = (assigned: readonly Exposure[]): Map<string, Exposure[]> =>
  Map.groupBy(
    assigned.filter(({ outpost }) => outpost !== undefined),
    ({ outpost = "" }) => outpost,
  );
const sizes = (assigned: readonly Exposure[]): number[] =>
  [...byOutpost(assigned).values()].map(({ length }) => length).sort((a, b) => b - a);

describe("the outposts of any stack", () => {
  test("serve only exposures with the same allowed groups, session length and scheme", () => {
    always((plan) => {
      for (const served of byOutpost(plan.exposures).values()) {
        expect(new Set(served.map(combination)).size).toBe(1);
      }
    });
  });

  test("are one for each combination up to the capacity, and never serve more", () => {
    always((plan, { identityProvider: { providersPerOutpost: capacity } }) => {
      const asked = plan.exposures.filter(({ authentication }) => authentication === "forward-auth");
      for (const sharing of Map.groupBy(asked, combination).values()) {
        const names = new Set(sharing.map(({ outpost }) => outpost));
        expect(names.size === 1).toBe(sharing.length <= capacity);
      }
      for (const size of sizes(plan.exposures)) expect(size).toBeLessThanOrEqual(capacity);
    });
  });

  test("are assigned to every exposure with forward auth and to no other one", () => {
    always((plan) => {
      const asked = plan.exposures.filter(({ authentication }) => authentication === "forward-auth");
      expect(plan.exposures.filter(({ outpost }) => outpost !== undefined)).toEqual(asked);
      expect(plan.outposts.map(({ name }) => name)).toEqual([...new Set(asked.map(({ outpost }) => outpost))].sort());
    });
  });

  test("have the allowed groups of their exposures", () => {
    always((plan) => {
      for (const { name, groups } of plan.outposts) {
        const [served] = byOutpost(plan.exposures).get(name) ?? [];
        expect(groups).toEqual(served?.groups.toSorted());
      }
    });
  });

  test("serve providers whose names are unique, and have a hash of the same combination", () => {
    always((plan) => {
      const forwarded = plan.exposures.filter(isForwarded);
      const names = forwarded.map(providerOf);
      expect(new Set(names).size).toBe(names.length);
      const hashOf = (exposure: ForwardedExposure): string => providerOf(exposure).slice(-8);
      const pairs = forwarded.map((exposure) => `${hashOf(exposure)} ${combination(exposure)}`);
      expect(new Set(pairs).size).toBe(new Set(forwarded.map(combination)).size);
      expect(new Set(forwarded.map(hashOf)).size).toBe(new Set(pairs).size);
    });
  });

  test("have unique DNS labels as names, with the stack's name where other stacks may share the identity provider", () => {
    always((plan, { identityProvider: { install } }) => {
      const names = plan.outposts.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      const prefix = install ? "gatehouse-outpost-" : "gatehouse-outpost-dev-";
      for (const name of names) {
        expect(name).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
        expect(name.startsWith(prefix)).toBe(true);
      }
    });
  });

  test("are in the namespace of the installed identity provider, else in one of the stack", () => {
    always((plan, { identityProvider: { install, namespace } }) => {
      const expected = install ? namespace : "gatehouse-outposts-dev";
      expect(plan.outposts.filter((outpost) => outpost.namespace !== expected || outpost.port !== 9000)).toEqual([]);
    });
  });

  test("do not change for other exposures when a service with a new group is added", () => {
    fc.assert(
      fc.property(kinds, services, variants, (enabled, list, variant) => {
        const added = proxy({ name: "added", application_slug: "added", groups: ["newcomers"] });
        const before = computePlan(settingsOf(enabled, list, variant)).exposures;
        const after = computePlan(settingsOf(enabled, [added, ...list], variant)).exposures;
        const assigned = new Map(after.map(({ id, outpost }) => [id, outpost]));
        expect(before.filter(({ id, outpost }) => assigned.get(id) !== outpost)).toEqual([]);
      }),
      RUNS,
    );
  });
});

describe("one combination", () => {
  test("has one outpost up to the capacity, and several of at most the capacity above it", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 600 }), fc.integer({ min: 1, max: 100 }), (count, capacity) => {
        const served = sizes(assignOutposts(exposures(count), withCapacity(capacity)));
        if (count <= capacity) expect(served).toEqual(count === 0 ? [] : [count]);
        else expect(served[0]).toBeLessThanOrEqual(capacity);
        expect(served.reduce((sum, one) => sum + one, 0)).toBe(count);
      }),
      RUNS,
    );
  });

  test("keeps the name of its first outpost when it needs several", () => {
    const used = (count: number) => [...byOutpost(assignOutposts(exposures(count), withCapacity(100))).keys()].sort();
    const [one, two, three] = [used(100), used(101), used(190)];
    expect([one.length, two.length, three.length]).toEqual([1, 2, 3]);
    expect(two).toEqual(expect.arrayContaining(one));
    expect(three).toEqual(expect.arrayContaining(two));
  });

  test("fills the outposts of 1,000 exposures to two thirds on average", () => {
    const filled = sizes(assignOutposts(exposures(1000), withCapacity(100)));
    expect(filled).toEqual([99, 86, 80, 75, 74, 72, 64, 61, 61, 58, 58, 58, 57, 52, 45]);
  });

  test("moves other exposures only if an edit makes an outpost exceed its capacity, and only those of that outpost", () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(numbers, fc.integer({ min: 1, max: 100 }), ([edited = 0, ...others], capacity) => {
        const outpostsOf = (list: readonly number[]) =>
          new Map(
            assignOutposts(
              list.flatMap((from) => exposures(1, from)),
              withCapacity(capacity),
            ).map((exposure) => [exposure.id, exposure.outpost]),
          );
        // Read backwards, it is the removal of an entry.
        const [without, added] = [outpostsOf(others), outpostsOf([...others, edited])];
        const moved = [...without].filter(([id, outpost]) => added.get(id) !== outpost);
        const left = new Set(moved.map(([, outpost]) => outpost));
        expect(left.size).toBe(moved.length === 0 ? 0 : 1);
        for (const outpost of left) {
          expect([...without.values()].filter((name) => name === outpost).length).toBe(capacity);
        }
      }),
      RUNS,
    );
  });

  test("is distributed in the same way for any order of the list", () => {
    const outposts = (list: readonly Exposure[]) =>
      new Map(assignOutposts(list, withCapacity(10)).map(({ id, outpost }) => [id, outpost]));
    fc.assert(
      fc.property(fc.shuffledSubarray(exposures(40), { minLength: 40 }), (shuffled) => {
        expect(outposts(shuffled)).toEqual(outposts(exposures(40)));
      }),
      RUNS,
    );
  });

  test("does not depend on the order of the groups", () => {
    const [one, other] = assignOutposts(
      [
        { ...template, id: "a@mesh", groups: ["staff", "admins"] },
        { ...template, id: "b@mesh", groups: ["admins", "staff"] },
      ],
      withCapacity(100),
    );
    expect(one?.outpost).toBe(other?.outpost);
  });
});

describe("the name of an outpost", () => {
  const nameOf = (fields: Partial<Exposure>, settings = withCapacity(100)) =>
    assignOutposts([{ ...template, ...fields }], settings)[0]?.outpost;

  test("contains the groups, or all-users", () => {
    expect(nameOf({ groups: ["Staff", "Admins"] })).toMatch(/^gatehouse-outpost-admins-staff-[0-9a-f]{8}$/);
    expect(nameOf({ groups: [] })).toMatch(/^gatehouse-outpost-all-users-[0-9a-f]{8}$/);
    expect(nameOf({ groups: ["Øß"] })).toMatch(/^gatehouse-outpost-groups-[0-9a-f]{8}$/);
  });

  test("differs for groups that look the same in it, and for session length and scheme", () => {
    const all: Partial<Exposure>[] = [
      { groups: ["a", "b"] },
      { groups: ["a-b"] },
      { groups: ["A-B"] },
      { groups: [] },
      { groups: ["all-users"] },
      { groups: [], session: "hours=1" },
      { groups: [], url: "https://wiki.localhost" },
    ];
    expect(new Set(all.map((fields) => nameOf(fields))).size).toBe(all.length);
  });

  test("is undefined without forward auth", () => {
    expect(nameOf({ authentication: "none", outpost: "gatehouse-outpost-before" })).toBe(undefined);
  });
});

test("routes the outposts' path of a domain to the backend that the plan assigns", () => {
  const list = [
    proxy({ domains: ["mesh"], groups: ["staff"] }),
    oauth2({ domains: ["mesh"], groups: ["admins"], enforce: "gateway" }),
  ];
  const plan = planOf({ mesh: true }, ...list);
  expect(plan.outposts.map(({ groups }) => groups)).toEqual([["admins"], ["staff"]]);
  const rules = plan.routes.find(({ name }) => name === "gatehouse-outpost-mesh")?.rules ?? [];
  const served = rules.filter(({ match }) => match.endsWith("PathPrefix(`/outpost.goauthentik.io/`)"));
  expect(served.map(({ exposure, backend }) => [exposure, backend])).toEqual(
    plan.exposures.flatMap(({ id, outpost }) =>
      outpost === undefined ? [] : [[id, { name: outpost, namespace: "authentik", port: 9000 }]],
    ),
  );
});

test("creates a plan whose size grows linearly up to 1,000 services on 3 domains", () => {
  const sizesOf = (count: number) => {
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
  // A service has 4 exposures with its test environment, 3 routes, and 18 rules: 2 per exposure, 2 redirects, 8 of outposts' paths.
  const own = { exposures: 10, routes: 10, rules: 76 };
  const of = (count: number) => ({
    exposures: own.exposures + 4 * count,
    routes: own.routes + 3 * count,
    rules: own.rules + 18 * count,
  });
  expect(sizesOf(10)).toEqual({ ...of(10), middlewares: 31, outposts: 2 });
  // Each outpost has two middlewares in the services' namespace.
  expect(sizesOf(1000)).toEqual({ ...of(1000), middlewares: 277, outposts: 125 });
});
