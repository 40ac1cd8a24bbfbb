/** What the gateway does with the requests of each host. Pure. */
import { backendText } from "../../config/sections/protectedServices/backend.ts";
import type { Exposure, Middleware, Plan, Route, RouteRule } from "../plan/types.ts";
import { protectionOf } from "../../protections/table.ts";
import { authenticates } from "../plan/middleware.ts";
import { ruleMiddlewares } from "../plan/ruleMiddlewares.ts";
import type { RuleFacts } from "./facts.ts";

/** Returns the rules of each exposure with the content of their middlewares, sorted, because only their priority matters. */
export function rulesByExposure(plan: Plan): Map<string, RuleFacts[]> {
  const middlewares = new Map(plan.middlewares.map((each) => [`${each.namespace}/${each.name}`, describe(each)]));
  const placed = plan.routes.flatMap((route) => route.rules.map((rule) => ({ route, rule })));
  const byExposure = Map.groupBy(placed, ({ rule }) => rule.exposure);
  return new Map(
    [...byExposure].map(([exposure, rules]) => {
      const facts = rules.map(({ route, rule }) => {
        const names = ruleMiddlewares(plan, route, rule);
        const chain = names.map((name) => middlewares.get(`${route.namespace}/${name}`) ?? `unknown ${name}`);
        return ruleFacts(route, rule, chain);
      });
      return [exposure, facts.sort((a, b) => compare(keyOf(a), keyOf(b)))];
    }),
  );
}

function ruleFacts(route: Route, rule: RouteRule, chain: readonly string[]): RuleFacts {
  const { match, priority, authentication, openBecause, backend } = rule;
  return {
    entryPoint: route.entryPoint,
    match,
    priority,
    authentication,
    openBecause,
    backend: backendText(backend),
    tls: tlsText(route.tls),
    chain,
  };
}

export function tlsText(tls: Exposure["tls"]): string | undefined {
  return tls && ("name" in tls ? `${tls.termination} ${tls.name}` : tls.termination);
}

/** Returns a middleware with its settings: `rate-limit average=10 burst=20 upstream=false`. */
function describe({ kind, ...settings }: Middleware): string {
  const own = Object.entries(settings).filter(([key]) => key !== "name" && key !== "namespace");
  const parts = own.filter(([, value]) => value !== undefined);
  return [kind, ...parts.map(([key, value]) => `${key}=${JSON.stringify(value)}`)].join(" ");
}

/** Returns whether a rule drops forged identity headers before any authentication. */
export function strips({ chain }: RuleFacts): boolean {
  const strip = chain.indexOf("strip");
  const authentication = chain.findIndex((middleware) => authenticates(middleware.slice(0, middleware.indexOf(" "))));
  return strip !== -1 && (authentication === -1 || strip < authentication);
}

/** Returns the identity headers that the backend of an exposure receives with its rules (docs/applications.md). */
export function headersOf({ protection }: Exposure, rules: readonly RuleFacts[]): readonly string[] {
  const { gateway } = protectionOf(protection);
  return gateway && rules.some(({ authentication }) => authentication === gateway.name) ? gateway.headers : [];
}

/** Returns the rules that admit requests without authentication, by reason and match. */
export function openings(rules: readonly RuleFacts[]): Map<string, RuleFacts> {
  const open = rules.filter(({ authentication }) => authentication === "none");
  return new Map(open.map((rule) => [`${rule.openBecause ?? ""} ${rule.match}`, rule]));
}

function keyOf({ entryPoint, priority, match }: RuleFacts): string {
  return `${entryPoint} ${priority} ${match}`;
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
