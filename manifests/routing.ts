/** The routes of a cluster in one form: those of Traefik, of Ingresses and of the Gateway API. */
import { isHost, isSameInSyntax2, type Matcher, mayServe, namedHosts, parseMatcher, plainHost } from "./matcher.ts";
import { at, fieldsOf, listOf, type Manifest, textAt, UNKNOWN, type Value } from "./resource.ts";

/** One rule of one object. */
export interface RoutingRule {
  readonly manifest: Manifest;
  /** What it matches, as two rules are compared: matcher, or host and path. Messages about unplanned rules show it without values (matcher.ts). */
  readonly match: string;
  /** The hosts that it names; undefined when it may serve others, too. */
  readonly hosts: ReadonlySet<string> | undefined;
  /** Returns whether the rule can match a request for the host; true if that is uncertain. */
  serves(host: string): boolean;
  readonly priority: number | undefined;
  /** Empty = all that Traefik has by default. */
  readonly entryPoints: readonly string[];
  /** Middlewares in order, as `<namespace>/<name>`; undefined when a preview does not know them yet. */
  readonly middlewares: readonly string[] | undefined;
  readonly backends: readonly BackendRef[];
}

export interface BackendRef {
  /** `Service`, or Traefik's `TraefikService`. */
  readonly kind: string;
  /** Empty for a name such as `default-wiki@kubernetescrd`, which contains it. */
  readonly namespace: string;
  readonly name: string;
  /** Number or name; undefined if there is none. */
  readonly port: string | undefined;
}

/** Returns the rules of an object; none of one that routes nothing. */
export function rulesOf(manifest: Manifest): RoutingRule[] {
  switch (manifest.kind) {
    case "IngressRoute":
    case "IngressRouteTCP":
      return traefikRules(manifest);
    case "Ingress":
      return ingressRules(manifest);
    case "HTTPRoute":
    case "GRPCRoute":
    case "TLSRoute":
    case "TCPRoute":
      return gatewayRules(manifest);
    default:
      return [];
  }
}

function traefikRules(manifest: Manifest): RoutingRule[] {
  const { namespace, spec } = manifest;
  const entryPoints = texts(spec["entryPoints"]);
  return listOf(spec["routes"]).map((route) => {
    const match = textAt(route, "match");
    const priority = at(route, "priority");
    return {
      manifest,
      match: match ?? "(unknown)",
      ...matching(match === undefined ? undefined : matcherOf(match, textAt(route, "syntax"))),
      // Zero is the default. A negative priority is lower than every default.
      priority: typeof priority === "number" && priority !== 0 ? priority : match?.length,
      entryPoints,
      middlewares: middlewaresOf(at(route, "middlewares"), namespace),
      backends: listOf(at(route, "services")).map((one) => backendRef(one, namespace)),
    };
  });
}

/** Returns a rule's matcher; undefined for one whose hosts are uncertain: in the syntax of Traefik 2, `!Host(`*`)` matches every host. */
function matcherOf(match: string, syntax: string | undefined): Matcher | undefined {
  const matcher = parseMatcher(match);
  return matcher === undefined || syntax?.toLowerCase() !== "v2" || isSameInSyntax2(matcher) ? matcher : undefined;
}

function middlewaresOf(list: Value, namespace: string): string[] | undefined {
  const names = listOf(list).map((one) => {
    const name = textAt(one, "name");
    return name === undefined ? UNKNOWN : `${textAt(one, "namespace") ?? namespace}/${name}`;
  });
  const known = names.filter((name) => name !== UNKNOWN);
  return list === UNKNOWN || known.length < names.length ? undefined : known;
}

function matching(matcher: Matcher | undefined): Pick<RoutingRule, "hosts" | "serves"> {
  return { hosts: namedHosts(matcher), serves: (host) => mayServe(matcher, host) };
}

function ingressRules(manifest: Manifest): RoutingRule[] {
  const { namespace, spec } = manifest;
  const common = { manifest, ...annotated(manifest) };
  const { hostsOf, errorBackends } = nginxAnnotations(manifest);
  const everyHost = hasOtherPathMatcher(manifest);
  const backend = (value: Value): BackendRef => {
    const resource = fieldsOf(at(value, "resource"));
    return "name" in resource ? backendRef(resource, namespace) : backendRef(at(value, "service"), namespace);
  };
  const fallback = spec["defaultBackend"];
  const rules = listOf(spec["rules"]).flatMap((rule) => {
    const host = textAt(rule, "host");
    const paths = listOf(at(rule, "http", "paths"));
    return paths.map((path) => ({
      ...common,
      match: `${host ?? "*"}${textAt(path, "path") ?? "/"}`,
      ...wildcard(host === undefined || everyHost ? [] : hostsOf(host)),
      backends: [backend(at(path, "backend")), ...errorBackends],
    }));
  });
  const everything = { ...common, match: "*/", ...wildcard([]), backends: [backend(fallback), ...errorBackends] };
  return fallback === undefined ? rules : [...rules, everything];
}

/** Returns what Traefik reads from an Ingress besides its rules (Traefik docs, "Kubernetes Ingress", annotations). */
function annotated({ props }: Manifest): Pick<RoutingRule, "priority" | "entryPoints" | "middlewares"> {
  const annotation = (name: string): string | undefined =>
    textAt(props, "metadata", "annotations", `traefik.ingress.kubernetes.io/router.${name}`);
  const list = (text: string | undefined): string[] => text?.split(",").map((part) => part.trim()) ?? [];
  return {
    // Zero is the default, like text that is no number.
    priority: Number(annotation("priority")) || undefined,
    entryPoints: list(annotation("entrypoints")),
    // `<namespace>-<name>@kubernetescrd`, in which the end of the namespace is ambiguous.
    middlewares: list(annotation("middlewares")),
  };
}

/** Returns what Traefik's provider for ingress-nginx reads from an Ingress besides its rules (traefik v3.7, pkg/provider/kubernetes/ingress-nginx). */
function nginxAnnotations({ props, namespace }: Manifest) {
  const annotation = (name: string): string =>
    textAt(props, "metadata", "annotations", `nginx.ingress.kubernetes.io/${name}`) ?? "";
  const aliases = annotation("server-alias")
    .split(",")
    .map((alias) => alias.trim())
    .filter((alias) => alias !== "");
  const redirects = annotation("from-to-www-redirect").toLowerCase() === "true";
  const other = (host: string): string => (host.startsWith("www.") ? host.slice("www.".length) : `www.${host}`);
  const name = annotation("default-backend");
  return {
    hostsOf: (host: string): string[] => [host, ...aliases, ...(redirects ? [other(host)] : [])],
    errorBackends: name === "" ? [] : [backendRef({ name }, namespace)],
  };
}

/**
 * Returns whether the annotation `router.pathmatcher` of an Ingress is anything other than a matcher of paths: before 3.7.2, Traefik copies it into the
 * rule, so that it can contain any rule. The case of the name is ignored.
 */
function hasOtherPathMatcher({ props }: Manifest): boolean {
  const annotations = Object.entries(fieldsOf(at(props, "metadata", "annotations")));
  return annotations.some(
    ([key, value]) =>
      key.toLowerCase() === "traefik.ingress.kubernetes.io/router.pathmatcher" &&
      typeof value === "string" &&
      !["Path", "PathPrefix", "PathRegexp"].includes(value),
  );
}

function gatewayRules(manifest: Manifest): RoutingRule[] {
  const { namespace, spec } = manifest;
  const hostnames = texts(spec["hostnames"]);
  return listOf(spec["rules"]).map((rule) => {
    const paths = listOf(at(rule, "matches")).map((match) => textAt(match, "path", "value") ?? "/");
    return {
      manifest,
      match: `${hostnames.join(",") || "*"}${paths.join(",") || "/"}`,
      ...wildcard(hostnames),
      priority: undefined,
      entryPoints: [],
      middlewares: [],
      backends: listOf(at(rule, "backendRefs")).map((one) => backendRef(one, namespace)),
    };
  });
}

/** Hosts of which the first label may be a star; none = all. */
function wildcard(patterns: readonly string[]): Pick<RoutingRule, "hosts" | "serves"> {
  const names = patterns.map(plainHost);
  const open = names.length === 0 || names.some((name) => name.includes("*"));
  return {
    hosts: open ? undefined : new Set(names),
    serves: (host) => names.length === 0 || names.some((name) => isHost(name, host)),
  };
}

/** Returns the backend in a reference of Traefik, of an Ingress or of the Gateway API. */
export function backendRef(value: Value, namespace: string): BackendRef {
  const name = textAt(value, "name") ?? "";
  const given = at(value, "port");
  const port = at(given, "number") ?? at(given, "name") ?? given;
  return {
    kind: textAt(value, "kind") ?? "Service",
    namespace: textAt(value, "namespace") ?? (name.includes("@") ? "" : namespace),
    name,
    port: typeof port === "string" || typeof port === "number" ? String(port) : undefined,
  };
}

/** Returns all references to other Services in a TraefikService, regardless of its kind of load balancing. */
export function referencesIn(value: Value, namespace: string): BackendRef[] {
  if (Array.isArray(value)) return listOf(value).flatMap((one) => referencesIn(one, namespace));
  const nested = Object.values(fieldsOf(value)).flatMap((one) => referencesIn(one, namespace));
  return textAt(value, "name") === undefined ? nested : [backendRef(value, namespace), ...nested];
}

function texts(value: Value): string[] {
  return listOf(value).filter((one): one is string => typeof one === "string");
}
