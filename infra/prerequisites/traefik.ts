import type { Settings } from "../../config/settings.ts";
import { advisoriesOfTraefik } from "../../config/rules/versions.ts";
import type { Plan } from "../plan/types.ts";
import { clientAddresses, dataEntryPoints } from "./clientAddresses.ts";
import type { TraefikFacts } from "./cluster.ts";
import { entryPointMiddlewares, entryPointsOf, isOn, type Options, optionsOf } from "./staticOptions.ts";
import type { Missing, Named, NotChecked, PrerequisiteResult } from "./prerequisite.ts";

/** A field of the Middleware definition that Traefik 3.7.3 and newer has; its API server drops an unknown field, and the route fails. */
const FIELD = "maxResponseBodySize";
/** A field of the TraefikService definition that Traefik 3.7 has. Without it the API server drops the limits of clients and queries of the data API. */
const FAILOVER_FIELD = "middlewares";
const PROVIDER = "providers.kubernetesCRD";
const MAX_HEADER_BYTES = 65_536;

/** Returns the prerequisites in the Traefik that runs in the cluster. */
export function traefikPrerequisites(settings: Settings, plan: Plan, facts: TraefikFacts): Named[] {
  const options = optionsOf(facts.args);
  return [
    ...versions(settings, facts).map((result) => ({ name: "version of Traefik", result })),
    ...(facts.hostNetwork ? [{ name: "network of Traefik", result: HOST_NETWORK }] : []),
    ...(plan.middlewares.some(({ kind }) => kind === "forward-auth")
      ? [
          {
            name: `field forwardAuth.${FIELD}`,
            result: field("Middleware", "forwardAuth", FIELD, facts.forwardAuthFields),
          },
        ]
      : []),
    ...(plan.traefikServices.length > 0
      ? [
          {
            name: `field failover.service.${FAILOVER_FIELD}`,
            result: field("TraefikService", "failover.service", FAILOVER_FIELD, facts.failoverFields),
          },
        ]
      : []),
    ...(entryPointsOf(options).length === 0
      ? [{ name: "static options of Traefik", result: UNREADABLE }]
      : staticOptions(settings, plan, facts, options)),
  ];
}

/** A file, arguments and variables exclude each other (https://doc.traefik.io, Static configuration), so arguments state all options or none. */
const UNREADABLE: NotChecked = {
  reason: "a file or variables configure Traefik instead of arguments",
  hint: "compare its entry points, providers and certificate resolvers with docs/prerequisites.md",
};

/** A policy cannot select such a pod, but always admits its own node (https://kubernetes.io, Network Policies). */
const HOST_NETWORK: NotChecked = {
  reason:
    "its pods have the address of their node (hostNetwork), which the network policies of the stack admit on that node only",
  hint: "with several nodes, remove hostNetwork and use a Service of type LoadBalancer (docs/prerequisites.md)",
};

function staticOptions(settings: Settings, plan: Plan, facts: TraefikFacts, options: Options): Named[] {
  return [
    ...entryPoints(settings, plan, options),
    { name: "provider kubernetesCRD", result: provider(settings, plan, options) },
    ...resolvers(settings, options),
    ...clientAddresses(settings, plan, facts, options),
    ...headerSizes(plan, options),
    ...middlewares(plan, options),
  ];
}

function versions({ gateway }: Settings, { version }: TraefikFacts): PrerequisiteResult[] {
  if (version === undefined) {
    return [{ reason: "the image of Traefik's pods has no version", hint: "compare it with docs/versions.md" }];
  }
  const known = advisoriesOfTraefik(version).map(([message, hint]) => ({
    entry: "gateway",
    problem: `Traefik in namespace ${gateway.namespace}: ${message}`,
    hint: `${hint}. See docs/versions.md.`,
  }));
  const differs = gateway.version !== undefined && gateway.version !== version;
  const other = {
    entry: "gateway.version",
    problem: `${gateway.version}, but Traefik in namespace ${gateway.namespace} is ${version}`,
    hint: `set gateway.version to ${version}, or upgrade Traefik`,
  };
  const found = [...known, ...(differs ? [other] : [])];
  return found.length > 0 ? found : [{ observed: version }];
}

function field(kind: string, parent: string, name: string, known: readonly string[] | undefined): PrerequisiteResult {
  if (known === undefined) {
    const hint = "allow the user to get custom resource definitions";
    return { reason: `the user may not read the definition of ${kind}`, hint };
  }
  if (known.includes(name)) return { observed: `in the definition of ${kind}` };
  return {
    entry: "gateway",
    problem: `the definition of ${kind} in the cluster has no field ${parent}.${name}`,
    hint:
      "apply the custom resource definitions of the Traefik that runs, or upgrade its chart instead of its image alone " +
      "(docs/versions.md)",
  };
}

/** Checks the entry points, each of which Traefik's chart states as an argument. */
function entryPoints({ gateway }: Settings, plan: Plan, options: Options): Named[] {
  const known = entryPointsOf(options);
  const settings = { http_entry_point: gateway.httpEntryPoint, https_entry_point: gateway.httpsEntryPoint };
  const used = new Set(plan.routes.map(({ entryPoint }) => entryPoint));
  return Object.entries(settings)
    .filter(([, name]) => used.has(name))
    .map(([key, name]) => {
      const prefix = `entrypoints.${name.toLowerCase()}`;
      const result = (problem: string, hint: string): Named => {
        return { name: `entry point ${name}`, result: { entry: `gateway.${key}`, problem, hint } };
      };
      const where = `Traefik in namespace ${gateway.namespace}`;
      if (!known.includes(name.toLowerCase()))
        return result(`${where} has no entry point "${name}"`, `use one of ${known.sort().join(", ")}`);
      // Without it, `/public/../private` is below a public path (doc.traefik.io, security/request-path).
      const sanitize = `${prefix}.http.sanitizepath`;
      if (options.has(sanitize) && !isOn(options, sanitize)) {
        const option = `--entryPoints.${name}.http.sanitizePath=false`;
        return result(
          `${where} does not resolve ".." in paths of entry point "${name}"`,
          `remove the argument ${option}`,
        );
      }
      // Traefik gives the redirection the priority 2^63 - 2, unless an argument states another one.
      const redirection = `${prefix}.http.redirections.entrypoint`;
      const priority = Number(options.get(`${redirection}.priority`) ?? Number.MAX_SAFE_INTEGER);
      const lowest = lowestPriority(plan, name);
      if (options.get(`${redirection}.to`) && priority >= lowest)
        return result(
          `${where} redirects all requests on entry point "${name}" before a route of the stack matches`,
          `remove the arguments --entryPoints.${name}.http.redirections.*, or set http.redirections.entryPoint.priority below ${lowest}: the stack redirects from HTTP to HTTPS where the gateway terminates TLS`,
        );
      return { name: `entry point ${name}`, result: { observed: options.get(`${prefix}.address`) ?? "exists" } };
    });
}

/** Returns the lowest priority of the rules on an entry point that do more than redirect; infinity without such a rule. */
function lowestPriority({ routes, middlewares }: Plan, entryPoint: string): number {
  const redirects = new Set(middlewares.filter(({ kind }) => kind === "redirect").map(({ name }) => name));
  const rules = routes.filter((route) => route.entryPoint === entryPoint).flatMap((route) => route.rules);
  const others = rules.filter((rule) => !rule.middlewares.some((name) => redirects.has(name)));
  return Math.min(...others.map(({ priority }) => priority));
}

/**
 * Checks the size of headers. Traefik compares queries with expressions before any limit per client: 0.2 s for 1 MB, its default (measured, 3.7.5). An outpost
 * keeps each `Host`, whose port can have any length, as a label of its metrics until it restarts (authentik 2026.5, `application.go`).
 */
function headerSizes(plan: Plan, options: Options): Named[] {
  const ofData = new Set(dataEntryPoints(plan));
  const authenticated = plan.routes.filter(({ rules }) =>
    rules.some(({ authentication }) => authentication === "forward-auth"),
  );
  const entryPoints = new Set([...ofData, ...authenticated.map(({ entryPoint }) => entryPoint)]);
  return [...entryPoints].map((entryPoint): Named => {
    const option = `entryPoints.${entryPoint}.http.maxHeaderBytes`;
    const size = Number(options.get(option.toLowerCase()) ?? 1_048_576);
    const name = `headers of entry point ${entryPoint}`;
    if (size <= MAX_HEADER_BYTES) return { name, result: { observed: `${size} bytes` } };
    const what = ofData.has(entryPoint)
      ? "computes for each request to the data API that has as many, before any limit per client"
      : "outposts keep a Host of that size in their memory until they restart";
    const reason = `Traefik accepts ${size} bytes, and ${what}`;
    return {
      name,
      result: { reason, hint: `set the argument --${option}=${MAX_HEADER_BYTES} (docs/prerequisites.md)` },
    };
  });
}

/** Reports middlewares of entry points, which Traefik runs before those of each route (https://doc.traefik.io, EntryPoints): their types are not known here. */
function middlewares({ routes }: Plan, options: Options): Named[] {
  return [...new Set(routes.map(({ entryPoint }) => entryPoint))].flatMap((entryPoint): Named[] => {
    const { option, names } = entryPointMiddlewares(options, entryPoint);
    const stated = names.filter((name) => name !== "");
    if (stated.length === 0) return [];
    const reason = `Traefik runs ${stated.join(", ")} before each route on it`;
    const hint = `remove those that authenticate or redirect from --${option} (docs/prerequisites.md)`;
    return [{ name: `middlewares of entry point ${entryPoint}`, result: { reason, hint } }];
  });
}

/** Checks that the provider reads the stack's objects: in their namespaces, without a label or an annotation. */
function provider({ gateway }: Settings, plan: Plan, options: Options): PrerequisiteResult {
  const missing = (problem: string, hint: string): Missing => {
    return { entry: "gateway", problem: `Traefik in namespace ${gateway.namespace} ${problem}`, hint };
  };
  const reads = [...options.keys()].some((name) => name.split(".")[1] === "kubernetescrd" && isOn(options, name));
  if (!reads) return missing("does not read IngressRoutes", `add the argument --${PROVIDER}`);
  for (const [option, what] of [
    ["ingressClass", "of another class"],
    ["labelSelector", "without the labels"],
  ] as const) {
    const value = options.get(`${PROVIDER}.${option}`.toLowerCase());
    if (value) return missing(`ignores objects ${what} "${value}"`, `remove the argument --${PROVIDER}.${option}`);
  }
  const namespaces = options.get(`${PROVIDER}.namespaces`.toLowerCase())?.split(",") ?? [];
  const ignored = [...new Set(plan.routes.map(({ namespace }) => namespace))].filter(
    (one) => !namespaces.includes(one),
  );
  if (namespaces.length > 0 && ignored.length > 0) {
    const names = ignored.sort().join(", ");
    return missing(
      `does not read the namespaces ${names}`,
      `add them to --${PROVIDER}.namespaces, or remove the argument`,
    );
  }
  const allowed = options.get(`${PROVIDER}.crossProviderNamespaces`.toLowerCase())?.split(",");
  const refused = plan.middlewares.find(
    ({ kind, namespace }) => kind === "unavailable" && !allowed?.includes(namespace),
  );
  if (allowed && refused) {
    return missing(
      `refuses noop@internal, which middlewares in namespace ${refused.namespace} use`,
      `add the namespace to --${PROVIDER}.crossProviderNamespaces`,
    );
  }
  return { observed: namespaces.length > 0 ? `reads ${namespaces.join(", ")}` : "reads every namespace" };
}

/** Checks that the certificate resolvers exist; otherwise Traefik serves its default certificate. */
function resolvers({ domains }: Settings, options: Options): Named[] {
  const known = [
    ...new Set([...options.keys()].flatMap((name) => /^certificatesresolvers\.([^.]+)/.exec(name)?.[1] ?? [])),
  ];
  return domains.flatMap(({ enabled, kind, tls }): Named[] => {
    if (!enabled || tls?.termination !== "resolver") return [];
    const name = `certificate resolver ${tls.name}`;
    if (known.includes(tls.name.toLowerCase())) return [{ name, result: { observed: `used by domain ${kind}` } }];
    const existing = known.length > 0 ? `use one of ${known.sort().join(", ")}` : "use tls: { secret: NAME }";
    return [
      {
        name,
        result: {
          entry: `domains.${kind}.tls.resolver`,
          problem: `Traefik has no certificate resolver "${tls.name}"`,
          hint: `add the arguments --certificatesResolvers.${tls.name}.acme.*, or ${existing}`,
        },
      },
    ];
  });
}
