import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { ConfigError } from "../../../config/errors/problems.ts";
import { echoes, methodIs } from "../../../infra/plan/matchers.ts";
import { NO_TUNNEL, OUTPOST_PREFIX, SIGNED_OUT } from "./matches.ts";
import type { Exposure, Middleware, Plan, Route, RouteRule } from "../../../infra/plan/types.ts";
import { proxy, shell, stack } from "../../config/stacks.ts";
import { always, sorted } from "./stacks.ts";

/** A rule with its route, its exposure, and the middlewares that it names. */
interface Placed {
  readonly route: Route;
  readonly rule: RouteRule;
  readonly exposure: Exposure;
  readonly chain: readonly Middleware[];
}

/** @throws when a rule names an exposure or, in the namespace of its route, a middleware that is not there */
function placed(plan: Plan): Placed[] {
  const exposures = new Map(plan.exposures.map((exposure) => [exposure.id, exposure]));
  const middlewares = new Map(plan.middlewares.map((each) => [`${each.namespace}/${each.name}`, each]));
  const known = <T>(from: ReadonlyMap<string, T>, key: string): T => {
    const found = from.get(key);
    if (found === undefined) throw new Error(`${key} is not in the plan`);
    return found;
  };
  return plan.routes.flatMap((route) =>
    route.rules.map((rule) => ({
      route,
      rule,
      exposure: known(exposures, rule.exposure),
      chain: rule.middlewares.map((name) => known(middlewares, `${route.namespace}/${name}`)),
    })),
  );
}

const WHOLE_HOST = 100;
const terminatesTls = ({ tls }: Exposure) => tls !== undefined && tls.termination !== "upstream";
const unique = (values: readonly string[]) => {
  expect(values.filter((value, index) => values.indexOf(value) !== index)).toEqual([]);
};

describe("the plan of any stack", () => {
  test("has unique hosts, ids and names, which are valid in Kubernetes", () => {
    always((plan) => {
      unique(plan.exposures.map(({ host }) => host));
      unique(plan.exposures.map(({ id }) => id));
      unique(plan.middlewares.map(({ namespace, name }) => `${namespace}/${name}`));
      unique(plan.clients.map(({ namespace, secretName }) => `${namespace}/${secretName}`));
      const routes = plan.routes.map(({ namespace, name }) => `${namespace}/${name}`);
      unique(routes);
      const right = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.(resolver|secret)-[a-z-]+)?$/;
      expect([...plan.routes, ...plan.middlewares].filter(({ name }) => !right.test(name))).toEqual([]);
    });
  });

  test("begins every rule with the exact host of its exposure", () => {
    always((plan, settings) => {
      const enabled = new Set(settings.domains.filter((domain) => domain.enabled).map(({ kind }) => kind));
      const wrong = placed(plan).filter(({ rule: { host, match }, exposure }) => {
        const isExact = match.startsWith(`Host(\`${host}\`) && `);
        return exposure.host !== host || !enabled.has(exposure.domain) || !isExact;
      });
      expect(wrong).toEqual([]);
      expect(placed(plan).filter(({ rule }) => rule.match.split("Host(").length !== 2)).toEqual([]);
    });
  });

  test("matches no CONNECT, whose body an application can read as the next request", () => {
    always((plan) => {
      const reads = `&& ${methodIs("GET", "HEAD")}`;
      const methods = [`&& ${NO_TUNNEL}`, reads, `&& ${methodIs("GET", "HEAD", "OPTIONS")}`];
      const isBounded = ({ match }: { match: string }) => methods.some((method) => match.includes(method));
      expect(placed(plan).filter(({ rule }) => !isBounded(rule))).toEqual([]);
    });
  });

  test("has one rule for the whole host of an exposure, or for each exposed schema, on each of its entry points", () => {
    always((plan, { gateway, dataApi }) => {
      const decisions = placed(plan).filter(({ rule }) => rule.priority === WHOLE_HOST);
      const found = decisions.map(({ exposure, route, rule }) => [exposure.id, route.entryPoint, rule.authentication]);
      const expected = plan.exposures.flatMap((exposure) => {
        const on = (entryPoint: string) => [exposure.id, entryPoint, exposure.authentication];
        const each = [on(gateway.httpEntryPoint), ...(terminatesTls(exposure) ? [on(gateway.httpsEntryPoint)] : [])];
        return exposure.role === "data-api" ? (dataApi?.exposed ?? []).flatMap(() => each) : each;
      });
      expect(sorted(found)).toEqual(sorted(expected));
      for (const { rule, exposure } of decisions) {
        if (exposure.role === "data-api") continue;
        const isOpenTest = exposure.role === "test" && exposure.protection === "open";
        const reads = isOpenTest
          ? ` && ${echoes()}`
          : exposure.role === "catalog"
            ? ` && ${methodIs("GET", "HEAD")}`
            : exposure.role === "identity-provider"
              ? ` && ${NO_TUNNEL} && !QueryRegexp(\`next\`, \`^[^/?#:]*:[^/]\`)`
              : ` && ${NO_TUNNEL}`;
        expect(rule.match).toBe(`Host(\`${rule.host}\`)${reads}`);
      }
    });
  });

  test("has no two rules with the same match on an entry point", () => {
    always((plan) => {
      unique(placed(plan).map(({ route, rule }) => `${route.entryPoint} ${rule.match}`));
    });
  });

  test("removes forged headers before it authenticates in every rule, and authenticates unless the rule states why not", () => {
    always((plan) => {
      for (const { route, rule, exposure, chain } of placed(plan)) {
        const kinds = chain.map(({ kind }) => kind);
        const redirects = terminatesTls(exposure) && route.tls === undefined;
        const asks = rule.authentication !== "none";
        expect(kinds).toEqual([
          ...(redirects ? ["redirect"] : []),
          "strip",
          "target",
          ...(exposure.tls?.termination === "upstream" ? ["upstream"] : []),
          ...(kinds.includes("background") ? ["background"] : []),
          ...(asks ? [rule.authentication] : []),
          ...(rule.match.includes(OUTPOST_PREFIX) ? ["sign-in-error"] : []),
          ...(kinds.includes("background") ? ["background-end"] : []),
          ...(rule.openBecause === "open" ? ["refused-paths"] : []),
          ...(exposure.role === "data-api" ? ["refused-paths", "anonymous", "unavailable", "profile"] : []),
          ...(/count=(exact|planned|estimated)`/.test(rule.match) ? ["count"] : []),
          ...(rule.match.includes("/openapi.json") ? ["replace-path"] : []),
        ]);
        expect([rule.openBecause === undefined, kinds.includes("background") && !asks]).toEqual([asks, false]);
      }
    });
  });

  test("authenticates with the outpost, the service and the TLS of the exposure", () => {
    always((plan) => {
      for (const { exposure, chain } of placed(plan)) {
        const background = chain.some(({ kind }) => kind === "background");
        for (const middleware of chain) {
          if (middleware.kind === "basic-auth") expect(middleware.service).toBe(exposure.entry);
          if (middleware.kind !== "forward-auth") continue;
          const { outpost, upstream, refusal } = middleware;
          expect([outpost, upstream, refusal]).toEqual([
            exposure.outpost,
            exposure.tls?.termination === "upstream",
            background ? "unauthorized" : "login",
          ]);
        }
      }
    });
  });

  test("answers for a protected exposure without authentication only on public paths, the outpost's path or for its own login", () => {
    always((plan, settings) => {
      for (const { rule, exposure } of placed(plan)) {
        if (exposure.protection === "open" || rule.authentication !== "none") continue;
        const service = settings.services.find(({ name }) => name === exposure.entry);
        switch (rule.openBecause) {
          case "public-path":
            expect(
              exposure.publicPaths.some((path) => rule.match.includes(`Prefix(\`${path.replace(/\/$/, "")}/`)),
            ).toBe(true);
            expect(exposure.publicPaths.length > 0 && exposure.role).toBe("service");
            break;
          case "identity-provider":
            expect(
              [OUTPOST_PREFIX, SIGNED_OUT].map((path) => `Host(\`${rule.host}\`) && ${NO_TUNNEL} && ${path}`),
            ).toContain(rule.match);
            expect(exposure.authentication).toBe("forward-auth");
            break;
          default:
            expect(rule.openBecause).toBe("application-login");
            expect([service?.type === "oauth2" && service.enforce, exposure.role]).toEqual(["application", "service"]);
        }
      }
    });
  });

  test("uses every middleware in a rule or a TraefikService of its namespace", () => {
    always((plan) => {
      const users = [...placed(plan).map(({ route, rule }) => ({ ...route, ...rule })), ...plan.traefikServices];
      const named = users.flatMap(({ namespace, middlewares }) => middlewares.map((name) => `${namespace}/${name}`));
      expect(sorted([...new Set(named)])).toEqual(
        sorted(plan.middlewares.map(({ namespace, name }) => `${namespace}/${name}`)),
      );
    });
  });

  test("has one TraefikService for all rules of the data API, and one where a proxy names the client, with the limits and different ports", () => {
    always((plan) => {
      const used = placed(plan).map(({ route, rule, exposure }) => {
        const upstream = exposure.tls?.termination === "upstream" ? "-upstream" : "";
        const expected = exposure.role === "data-api" ? `gatehouse-data-api${upstream}` : undefined;
        expect(rule.traefikService).toBe(expected);
        return expected && `${route.namespace}/${expected} of ${rule.backend.name}`;
      });
      const planned = plan.traefikServices.map(({ namespace, name, service }) => `${namespace}/${name} of ${service}`);
      expect(sorted(planned)).toEqual(sorted([...new Set(used.filter((each) => each !== undefined))]));
      unique(plan.traefikServices.map(({ namespace, service, port }) => `${namespace}/${service}:${port}`));
      const byPlace = new Map(plan.middlewares.map((each) => [`${each.namespace}/${each.name}`, each]));
      for (const { namespace, name, middlewares } of plan.traefikServices) {
        const upstream = name.endsWith("-upstream");
        const limits = middlewares.map((each) => byPlace.get(`${namespace}/${each}`));
        expect(limits.map((each) => each && [each.kind, "upstream" in each && each.upstream])).toEqual([
          ["unrouted-query", false],
          ["rate-limit", upstream],
          ["in-flight", upstream],
        ]);
      }
    });
  });

  test("has a route in the namespace of its backends, with TLS exactly on the entry point for HTTPS", () => {
    always((plan, { gateway }) => {
      for (const route of plan.routes) {
        expect(new Set(route.rules.map(({ backend }) => backend.namespace))).toEqual(new Set([route.namespace]));
        const { httpEntryPoint, httpsEntryPoint } = gateway;
        expect(route.entryPoint).toBe(route.tls === undefined ? httpEntryPoint : httpsEntryPoint);
      }
      const wrong = placed(plan).filter(
        ({ route, exposure }) => route.tls && route.tls.termination !== exposure.tls?.termination,
      );
      expect(wrong).toEqual([]);
    });
  });
});

describe("the outpost's path", () => {
  test("is routed on every host with forward auth, before every other rule, on the entry point of the application", () => {
    always((plan) => {
      const rules = placed(plan);
      const asked = plan.exposures.filter(({ authentication }) => authentication === "forward-auth");
      const paths = [SIGNED_OUT, OUTPOST_PREFIX].map((path) => rules.filter(({ rule }) => rule.match.endsWith(path)));
      for (const path of paths) {
        expect(sorted(path.map(({ exposure }) => exposure.id))).toEqual(sorted(asked.map(({ id }) => id)));
      }
      const outposts = paths.flat();
      for (const { rule, route, exposure } of outposts) {
        const others = rules.filter((other) => other.rule.host === rule.host && !outposts.includes(other));
        expect(Math.max(...others.map((other) => other.rule.priority))).toBeLessThan(rule.priority);
        expect(terminatesTls(exposure)).toBe(route.tls !== undefined);
        expect(rule.priority).toBe(rule.match.endsWith(SIGNED_OUT) ? 310 : 300);
      }
    });
  });

  test("is below no public path, however that is written", () => {
    const piece = fc.constantFrom("/", "outpost.goauthentik.io", "outpost", ".", "..", "a", "%2f", "?", "#", "\\", "`");
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 6 }).map((pieces) => `/${pieces.join("")}`),
        (path) => {
          const list = [proxy({ public_paths: [path] })];
          try {
            parseStack(stack({ protected_services: list }), shell);
          } catch (error) {
            expect(error).toBeInstanceOf(ConfigError);
            return;
          }
          const [, first = ""] = path.split("/");
          expect(path).toMatch(/^[/a-z.]+$/);
          expect(["", ".", "..", "outpost.goauthentik.io"]).not.toContain(first);
        },
      ),
      { examples: [["/outpost.goauthentik.io"], ["/outpost.goauthentik.io/"], ["//outpost.goauthentik.io"], ["/"]] },
    );
  });
});
