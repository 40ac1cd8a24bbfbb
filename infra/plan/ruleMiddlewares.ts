import type { Plan, Route, RouteRule } from "./types.ts";

/**
 * Returns the names of the middlewares that the requests of a rule pass: those of the rule, then those of its TraefikService. All are in the route's
 * namespace.
 */
export function ruleMiddlewares(
  { traefikServices }: Pick<Plan, "traefikServices">,
  { namespace }: Route,
  { middlewares, traefikService }: RouteRule,
): string[] {
  const behind = traefikServices.find((service) => service.namespace === namespace && service.name === traefikService);
  return [...middlewares, ...(behind?.middlewares ?? [])];
}
