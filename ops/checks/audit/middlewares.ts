import { authPath } from "../../../protections/forwardAuth.ts";
import { ruleMiddlewares } from "../../../infra/plan/ruleMiddlewares.ts";
import type { ForwardAuth, Middleware, Plan, Route, RouteRule } from "../../../infra/plan/types.ts";
import { at, objectLabel, textAt } from "../../../manifests/resource.ts";
import { backendRef } from "../../../manifests/routing.ts";
import { middlewareDifferences, replacedMiddleware } from "../../../policy/rules/middlewareContent.ts";
import { type AuditFinding, comparePlanned, type Compared, deletion, finding } from "./finding.ts";
import { urlHost } from "../../../infra/urlHost.ts";

const RULE = "middlewares-as-planned";

const CONSEQUENCES = [
  ["forwardAuth.address", "sends authentication requests to another address than the outpost's"],
  [
    "forwardAuth.authRequestHeaders",
    "does not forward the planned request headers to the outpost, such as the session",
  ],
  ["forwardAuth.authResponseHeaders", "does not copy the planned headers from the outpost, so a client can forge them"],
  ["headers.customRequestHeaders", "does not remove the planned request headers, such as forged identity headers"],
] as const;

/** Returns a finding for each planned middleware that is missing or has other content. */
export function changedMiddlewares(compared: Compared): AuditFinding[] {
  const { plan } = compared;
  return plan.middlewares.flatMap((planned) => {
    const subject = objectLabel("Middleware", planned);
    const missing = "is missing, so Traefik drops the routers that use it";
    return comparePlanned({ rule: RULE, subject, hosts: hostsWith(planned, plan) }, compared, missing, (found) => {
      const all = middlewareDifferences(found, planned, (auth) => authAddress(auth, compared));
      const [, message = "differs from the plan"] = CONSEQUENCES.find(([field]) => all[0]?.startsWith(field)) ?? [];
      return { message, evidence: all.map(withoutValues) };
    });
  });
}

/** Returns findings for unplanned middlewares that have the name of a planned one in Traefik, which keeps the definition that it reads last. */
export function sameNamedMiddlewares({ manifests, plan, context }: Compared): AuditFinding[] {
  return manifests.flatMap((manifest) => {
    const replaced = replacedMiddleware(manifest, plan);
    if (replaced === undefined) return [];
    return [
      finding({
        rule: RULE,
        subject: manifest.label,
        hosts: hostsWith(replaced, plan),
        message: `replaces ${objectLabel("Middleware", replaced)}, which has the same name in Traefik`,
        hint: `remove it (${deletion(manifest, context)}), or rename it`,
      }),
    ];
  });
}

/** Where Traefik's provider for ingress-nginx reads what the field `forwardAuth.address` of a middleware is. */
const AUTH_URL = "nginx.ingress.kubernetes.io/auth-url";

/**
 * Returns findings for unplanned objects that send requests to a planned backend, past its authentication: for the page of an error, or as an
 * authentication server, which gets the method and the headers of the client (measured with Traefik 3.7.5).
 */
export function exposingMiddlewares({ manifests, plan, backends, context }: Compared): AuditFinding[] {
  const planned = new Set(plan.middlewares.map((one) => objectLabel("Middleware", one)));
  const others = manifests.filter(({ kind, label }) => ["Middleware", "Ingress"].includes(kind) && !planned.has(label));
  return others.flatMap((manifest) => {
    const { spec, props, namespace } = manifest;
    const address = textAt(spec, "forwardAuth", "address") ?? textAt(props, "metadata", "annotations", AUTH_URL);
    const page = backends.behind(backendRef(at(spec, "errors", "service"), namespace));
    const server = address === undefined ? undefined : backends.behindUrl(address);
    const messages = [
      page && `answers errors with pages of ${page.namespace}/${page.name} without the planned protection`,
      server &&
        `sends requests to ${server.namespace}/${server.name} for authentication, without the planned protection`,
    ];
    return messages
      .filter((message) => message !== undefined)
      .map((message) =>
        finding({
          rule: "backends-behind-the-plan",
          subject: manifest.label,
          message,
          hint: `remove it (${deletion(manifest, context)})`,
        }),
      );
  });
}

function hostsWith({ namespace, name }: Middleware, plan: Plan): string[] {
  return hostsOf(namespace, plan, (route, rule) => ruleMiddlewares(plan, route, rule).includes(name));
}

/** Returns the hosts of the rules of a namespace that need an object. */
export function hostsOf(
  namespace: string,
  { routes }: Plan,
  needs: (route: Route, rule: RouteRule) => boolean,
): string[] {
  return routes
    .filter((route) => route.namespace === namespace)
    .flatMap((route) => route.rules.filter((rule) => needs(route, rule)).map(({ host }) => host));
}

/** Returns a difference without values of headers, of unplanned sections and of queries, which can be credentials. */
function withoutValues(difference: string): string {
  return difference
    .replace(/^(headers\S*|\S+(?= is [{[])) is (?!missing|"").*, planned /s, "$1 is set, planned ")
    .replaceAll(/\?[^"\s]*/g, "?…");
}

/** Returns the planned address of forward auth: the cluster IP of the outpost's Service. */
function authAddress({ outpost, refusal }: ForwardAuth, { plan, backends }: Compared): string | undefined {
  const planned = plan.outposts.find(({ name }) => name === outpost);
  const address = planned && textAt(backends.service(planned)?.spec, "clusterIP");
  return address === undefined ? undefined : `http://${urlHost(address)}:${planned?.port}${authPath(refusal)}`;
}
