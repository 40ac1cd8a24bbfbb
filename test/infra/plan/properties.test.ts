import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Settings } from "../../../config/settings.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import type { Plan } from "../../../infra/plan/types.ts";
import { kinds, services, settingsOf } from "./stacks.ts";

/** Holds for every stack. */
function always(holds: (plan: Plan, settings: Settings) => void): void {
  fc.assert(
    fc.property(kinds, services, (enabled, list) => {
      const settings = settingsOf(enabled, list);
      holds(computePlan(settings), settings);
    }),
  );
}

const rulesOf = (plan: Plan) => plan.routes.flatMap(({ rules }) => rules);
const placed = (plan: Plan) => plan.routes.flatMap(({ name, rules }) => rules.map((rule) => ({ in: name, rule })));
const sorted = (items: readonly unknown[]) => items.map((item) => JSON.stringify(item)).sort();

describe("of any stack", () => {
  test("hosts, ids and names of routes are unique", () => {
    always((plan) => {
      const hosts = plan.exposures.map(({ host }) => host);
      const ids = plan.exposures.map(({ id }) => id);
      const names = plan.routes.map(({ namespace, name }) => `${namespace}/${name}`);
      for (const values of [hosts, ids, names]) expect(new Set(values).size).toBe(values.length);
    });
  });

  test("every rule begins with one exact host, which is that of its exposure on an enabled domain", () => {
    always((plan, settings) => {
      const exposures = new Map(plan.exposures.map((exposure) => [exposure.id, exposure]));
      const enabled = new Set(settings.domains.filter((domain) => domain.enabled).map(({ kind }) => kind));
      const wrong = rulesOf(plan).filter(({ exposure, host, match }) => {
        const of = exposures.get(exposure);
        const isExact = match === `Host(\`${host}\`)` || match.startsWith(`Host(\`${host}\`) && `);
        return of?.host !== host || !enabled.has(of.domain) || !isExact || match.split("Host").length !== 2;
      });
      expect(wrong).toEqual([]);
    });
  });

  test("what answers for a protected exposure without authentication is a public path, the outpost or a login of its own", () => {
    always((plan, settings) => {
      const exposures = new Map(plan.exposures.map((exposure) => [exposure.id, exposure]));
      for (const rule of rulesOf(plan)) {
        expect(rule.openBecause === undefined).toBe(rule.authentication !== "none");
        const exposure = exposures.get(rule.exposure);
        if (exposure?.protection === "open" || rule.authentication !== "none") continue;
        const service = settings.services.find(({ name }) => name === exposure?.service);
        switch (rule.openBecause) {
          case "public-path":
            expect(
              service?.publicPaths.some(
                (path) => rule.match.includes(`Path(\`${path}\`)`) || rule.match.includes(`PathPrefix(\`${path}\`)`),
              ),
            ).toBe(true);
            expect(rule.priority).toBe(200);
            break;
          case "identity-provider":
            expect(rule.match).toBe(`Host(\`${rule.host}\`) && PathPrefix(\`/outpost.goauthentik.io/\`)`);
            expect(rule.backend.name).toBe("authentik-server");
            break;
          default:
            expect(rule.openBecause).toBe("application-login");
            expect(service?.type === "oauth2" && service.enforce).toBe("application");
        }
      }
    });
  });

  test("every exposure has exactly one rule for its whole host, and that one has the protection of its type", () => {
    always((plan, settings) => {
      const services = new Map(settings.services.map((service) => [service.name, service]));
      for (const exposure of plan.exposures.filter(({ role }) => role === "service")) {
        const whole = rulesOf(plan).filter(({ match }) => match === `Host(\`${exposure.host}\`)`);
        const service = services.get(exposure.service);
        const enforced = service?.type === "proxy" || (service?.type === "oauth2" && service.enforce === "gateway");
        const otherwise = service?.type === "basic" ? "basic-auth" : "none";
        expect(whole.map(({ authentication }) => authentication)).toEqual([enforced ? "forward-auth" : otherwise]);
      }
    });
  });

  test("a route has one namespace, that of its backends, and is with or without TLS as a whole", () => {
    always((plan) => {
      for (const route of plan.routes) {
        expect(new Set(route.rules.map(({ backend }) => backend.namespace))).toEqual(new Set([route.namespace]));
        expect(new Set(route.rules.map(({ tls }) => tls)).size).toBe(1);
        expect(route.name).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
      }
    });
  });

  test("records hold every host once, under its own domain", () => {
    always((plan) => {
      const pairs = plan.records.flatMap(({ domain, hosts }) => hosts.map((host) => [domain, host]));
      expect(sorted(pairs)).toEqual(sorted(plan.exposures.map(({ domain, host }) => [domain, host])));
    });
  });

  test("nothing in a private schema is granted, now or later, and nothing anywhere but reading", () => {
    always((plan, settings) => {
      const granted = [...(plan.data?.grants ?? []), ...(plan.data?.defaultPrivileges ?? [])].filter(
        ({ privileges }) => privileges.length > 0,
      );
      const hidden = settings.dataApi?.private ?? [];
      expect(granted.filter(({ schema }) => schema !== undefined && hidden.includes(schema))).toEqual([]);
      const onTables = granted.filter(({ kind }) => kind === "table" || kind === "sequence");
      expect(new Set(onTables.flatMap(({ privileges }) => privileges))).toEqual(new Set(["SELECT"]));
      expect(granted.filter(({ role }) => role === "public")).toEqual([]);
    });
  });
});

describe("when a stack changes", () => {
  test("another enabled domain leaves every exposure, rule and record set of the others as it is", () => {
    fc.assert(
      fc.property(
        kinds,
        services,
        fc.constantFrom("localhost", "mesh", "external", "partner"),
        (enabled, list, added) => {
          const before = computePlan(settingsOf({ ...enabled, [added]: false }, list));
          const after = computePlan(settingsOf({ ...enabled, [added]: true }, list));
          expect(after.exposures.filter(({ domain }) => domain !== added)).toEqual(before.exposures);
          expect(after.records.filter(({ domain }) => domain !== added)).toEqual(before.records);
          expect(placed(after).filter(({ rule }) => !rule.exposure.endsWith(`@${added}`))).toEqual(placed(before));
        },
      ),
    );
  });

  test("the order of the list changes the order of the plan and nothing else", () => {
    fc.assert(
      fc.property(kinds, services, (enabled, list) => {
        const forth = computePlan(settingsOf(enabled, list));
        const back = computePlan(settingsOf(enabled, [...list].reverse()));
        expect(sorted(back.exposures)).toEqual(sorted(forth.exposures));
        const rules = (plan: Plan) => sorted(plan.routes.map((route) => ({ ...route, rules: sorted(route.rules) })));
        expect(rules(back)).toEqual(rules(forth));
        expect(back.records).toEqual(forth.records);
        expect(back.groups).toEqual(forth.groups);
        expect(back.data).toEqual(forth.data);
      }),
    );
  });
});
