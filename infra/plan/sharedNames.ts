/** Names that Traefik gives to middlewares of different namespaces. */
import { isDeepStrictEqual } from "node:util";
import { ConfigError } from "../../config/errors/problems.ts";
import { traefikName } from "./traefikName.ts";
import type { Middleware } from "./types.ts";

/**
 * Refuses two different middlewares with one name in Traefik, which uses one of them for both: a host would have the authentication of another, or none.
 * @throws ConfigError
 */
export function refuseSharedNames(stack: string, middlewares: readonly Middleware[]): void {
  const byName = Map.groupBy(middlewares, ({ namespace, name }) => traefikName(namespace, name));
  const problems = [...byName].flatMap(([name, [one, other]]) => {
    if (one === undefined || other === undefined) return [];
    if (isDeepStrictEqual({ ...one, namespace: "" }, { ...other, namespace: "" })) return [];
    const both = [one, other]
      .map((middleware) => `"${middleware.name}" in namespace "${middleware.namespace}"`)
      .join(" and ");
    const hint = "move one of the services to another namespace";
    return [{ path: "protected_services", message: `the middlewares ${both} are both "${name}" in Traefik`, hint }];
  });
  if (problems.length > 0) throw new ConfigError(`Pulumi.${stack}.yaml`, problems);
}
