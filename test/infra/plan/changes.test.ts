import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Settings } from "../../../config/settings.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import type { Plan } from "../../../infra/plan/types.ts";
import { problemsOf, sections, stack } from "../../config/stacks.ts";
import { BOTH, EXISTING, kind, type Kinds, kinds, RUNS, services, settingsOf, sorted, variants } from "./stacks.ts";

/** Every rule with all of its route but the other rules. */
const placed = (plan: Plan) =>
  plan.routes.flatMap(({ rules, ...route }) => rules.map((rule) => ({ ...rule, in: route })));
/** Names and rules, without their outposts. */
const withoutOutposts = (plan: Plan) => ({
  exposures: sorted(plan.exposures.map((exposure) => ({ ...exposure, outpost: undefined }))),
  rules: sorted(
    placed(plan).map((rule) => ({
      ...rule,
      middlewares: rule.middlewares.map((name) => {
        const found = plan.middlewares.find((one) => one.namespace === rule.in.namespace && one.name === name);
        return found?.kind === "forward-auth" ? { ...found, name: undefined, outpost: undefined } : found;
      }),
      backend: rule.openBecause === "identity-provider" ? undefined : rule.backend,
    })),
  ),
});

/** Whether a stack has a domain without this one. */
const isEnabledWithout = (enabled: Kinds, added: string) =>
  Object.entries(enabled).some(([name, on]) => on && name !== added);

describe("when a stack changes", () => {
  test("keeps names, rules, outposts and records for any order of the list", () => {
    const shuffled = services.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length })),
    );
    fc.assert(
      fc.property(kinds, shuffled, variants, (enabled, [list, other], variant) => {
        const one = computePlan(settingsOf(enabled, list, variant));
        const two = computePlan(settingsOf(enabled, other, variant));
        for (const part of ["exposures", "clients", "middlewares"] as const) {
          expect(sorted(two[part])).toEqual(sorted(one[part]));
        }
        expect(sorted(placed(two))).toEqual(sorted(placed(one)));
        const { records, groups, createdGroups, outposts, identitySlug, data } = one;
        expect(two).toMatchObject({ records, groups, createdGroups, outposts, identitySlug, data });
      }),
      RUNS,
    );
  });

  test("keeps exposures, rules, records and clients of other domains when a domain is enabled", () => {
    fc.assert(
      fc.property(kinds, services, variants, kind, (enabled, list, variant, added) => {
        fc.pre(isEnabledWithout(enabled, added));
        const identityProvider = { ...variant.identityProvider, providers_per_outpost: 100 };
        const plan = (on: boolean) =>
          computePlan(settingsOf({ ...enabled, [added]: on }, list, { ...variant, identityProvider }));
        const [before, after] = [plan(false), plan(true)];
        expect(after.exposures.filter(({ domain }) => domain !== added)).toEqual(before.exposures);
        expect(after.records.filter(({ domain }) => domain !== added)).toEqual(before.records);
        expect(sorted(placed(after).filter(({ exposure }) => !exposure.endsWith(`@${added}`)))).toEqual(
          sorted(placed(before)),
        );
        expect(after.identitySlug).toBe(before.identitySlug);
        for (const client of before.clients) {
          const same = after.clients.find(({ service }) => service === client.service);
          expect([same?.application, same?.namespace, same?.secretName]).toEqual([
            client.application,
            client.namespace,
            client.secretName,
          ]);
          expect(client.redirectUris.filter((uri) => same?.redirectUris.includes(uri) !== true)).toEqual([]);
        }
      }),
      RUNS,
    );
  });

  test("changes outposts only if an enabled domain makes them exceed their capacity", () => {
    fc.assert(
      fc.property(kinds, services, variants, kind, (enabled, list, variant, added) => {
        fc.pre(isEnabledWithout(enabled, added));
        const plan = (on: boolean) => computePlan(settingsOf({ ...enabled, [added]: on }, list, variant));
        const [before, after] = [withoutOutposts(plan(false)), withoutOutposts(plan(true))];
        expect(before.exposures.filter((text) => !after.exposures.includes(text))).toEqual([]);
        expect(before.rules.filter((text) => !after.rules.includes(text))).toEqual([]);
      }),
      RUNS,
    );
  });

  test("removes exactly the objects of a removed service", () => {
    const one = services.filter((list) => list.length > 0);
    fc.assert(
      fc.property(kinds, one, (enabled, [gone, ...rest]) => {
        const before = computePlan(settingsOf(enabled, [gone ?? {}, ...rest]));
        const after = computePlan(settingsOf(enabled, rest));
        const name = String(gone?.["name"]);
        const isGone = (service: string) => service === name || service === `whoami-${name}`;
        const kept = before.exposures.filter(({ service }) => !isGone(service));
        expect(after.exposures).toEqual(kept);
        const ids = new Set(kept.map(({ id }) => id));
        expect(sorted(placed(after))).toEqual(sorted(placed(before).filter(({ exposure }) => ids.has(exposure))));
        expect(after.clients).toEqual(before.clients.filter(({ service }) => service !== name));
        expect(JSON.stringify({ ...after, groups: [] })).not.toContain(`"${name}.`);
      }),
      RUNS,
    );
  });

  test("changes only the edited services and the lists that contain them for any edits", () => {
    const edits = fc.array(fc.tuple(fc.nat(), services), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(kinds, services, variants, edits, (enabled, list, variant, random) => {
        const identityProvider = { ...variant.identityProvider, providers_per_outpost: 100 };
        const plan = (of: Entries) => computePlan(settingsOf(enabled, of, { ...variant, identityProvider }));
        let before = list;
        for (const [place, others] of random) {
          const [after, edited] = editOf(before, place, others);
          expect(othersIn(plan(after), edited)).toEqual(othersIn(plan(before), edited));
          before = after;
        }
      }),
      RUNS,
    );
  });

  test("keeps everything if a field is written that is refused for an existing identity provider", () => {
    const fields = { host: "login", namespace: "apps", domain: "localhost", admin_email: "a@example.org" };
    const identityProvider = { ...sections.identity_provider, ...fields };
    const { identityProvider: installed } = settingsOf(BOTH, [], { identityProvider });
    const refused = problemsOf(stack({ identity_provider: { ...identityProvider, ...EXISTING } })).flatMap(
      (problem) => {
        const [, key] = /^identity_provider\.(\w+): has no effect/.exec(problem) ?? [];
        return key === undefined ? [] : [key.replace(/_[a-z]/g, ([, letter = ""]) => letter.toUpperCase())];
      },
    );
    const written = Object.fromEntries(Object.entries(installed).filter(([key]) => refused.includes(key)));
    expect(Object.keys(written)).toHaveLength(6);
    // Connections contain the variables of all credentials, with effect or not.
    const planOf = (settings: Settings) => ({ ...computePlan(settings), connections: undefined });
    fc.assert(
      fc.property(kinds, services, (enabled, list) => {
        const settings = settingsOf(enabled, list, { identityProvider: EXISTING });
        const changed = { ...settings, identityProvider: { ...settings.identityProvider, ...written } };
        expect(planOf(changed)).toEqual(planOf(settings));
      }),
      RUNS,
    );
  });
});

type Entries = Record<string, unknown>[];

/** Adds, removes, moves or replaces an entry. @returns the edited list, and the name of the entry */
function editOf(list: Entries, place: number, others: Entries): [list: Entries, edited: string] {
  const [other] = others;
  if (other === undefined) {
    const index = list.length === 0 ? 0 : place % list.length;
    return [list.filter((_, at) => at !== index), String(list[index]?.["name"])];
  }
  const edited = String(other["name"]);
  const rest = list.filter(({ name }) => name !== edited);
  return [rest.toSpliced(place % (rest.length + 1), 0, other), edited];
}

/** What a plan contains of every other service: exposures with their outposts, rules with their routes, clients, records. */
function othersIn(plan: Plan, edited: string): Record<string, string[]> {
  const isEdited = (service: string) => service === edited || service === `whoami-${edited}`;
  const exposures = plan.exposures.filter(({ service }) => !isEdited(service));
  const [ids, hosts] = [new Set(exposures.map(({ id }) => id)), new Set(exposures.map(({ host }) => host))];
  const rules = placed(plan).filter(({ exposure }) => ids.has(exposure));
  return {
    exposures: sorted(exposures),
    rules: sorted(rules),
    middlewares: sorted(
      plan.middlewares.filter((one) =>
        rules.some((rule) => rule.in.namespace === one.namespace && rule.middlewares.includes(one.name)),
      ),
    ),
    outposts: sorted(plan.outposts.filter(({ name }) => exposures.some(({ outpost }) => outpost === name))),
    clients: sorted(plan.clients.filter(({ service }) => service !== edited)),
    hosts: plan.records.flatMap((set) => set.hosts.filter((host) => hosts.has(host))).sort(),
  };
}
