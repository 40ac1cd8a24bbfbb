/** Names that objects of different namespaces share: of middlewares in Traefik, and of routes in Pulumi. */
import { isDeepStrictEqual } from "node:util";
import { ConfigError } from "../../config/errors/problems.ts";
import { traefikName } from "./traefikName.ts";
import type { Middleware, Route } from "./types.ts";

interface Named {
  readonly name: string;
  readonly namespace: string;
}

/**
 * Refuses two routes with one name, by which Pulumi identifies them, and two different middlewares with one name in Traefik, which uses one of them for both:
 * a host would have the authentication of another, or none.
 * @throws ConfigError
 */
export function refuseSharedNames(stack: string, middlewares: readonly Middleware[], routes: readonly Route[]): void {
  const sharedRoutes = shared(routes, ({ name }) => name).map(({ both }) => ({
    message: `the routes ${both} have one name`,
    hint: "rename one of the services",
  }));
  const sharedMiddlewares = shared(middlewares, ({ namespace, name }) => traefikName(namespace, name))
    .filter(({ one, other }) => !isDeepStrictEqual({ ...one, namespace: "" }, { ...other, namespace: "" }))
    .map(({ both, name }) => ({
      message: `the middlewares ${both} are both "${name}" in Traefik`,
      hint: "move one of the services to another namespace",
    }));
  const problems = [...sharedRoutes, ...sharedMiddlewares].map((found) => ({ path: "protected_services", ...found }));
  if (problems.length > 0) throw new ConfigError(`Pulumi.${stack}.yaml`, problems);
}

/** Returns the first two objects of each name that several have. */
function shared<T extends Named>(objects: readonly T[], nameOf: (object: T) => string) {
  return [...Map.groupBy(objects, nameOf)].flatMap(([name, [one, other]]) => {
    if (one === undefined || other === undefined) return [];
    const both = [one, other].map((each) => `"${each.name}" in namespace "${each.namespace}"`).join(" and ");
    return [{ name, one, other, both }];
  });
}
