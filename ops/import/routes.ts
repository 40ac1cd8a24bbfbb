import type { Backend } from "../../config/sections/protectedServices/backend.ts";
import { plainHost, withoutValues } from "../../manifests/matcher.ts";
import { CLASS, isOtherClass } from "../../manifests/ingressClass.ts";
import { at, fieldsOf, listOf, type Manifest, textAt, type Value } from "../../manifests/resource.ts";
import { type RoutingRule, rulesOf } from "../../manifests/routing.ts";
import { serviceNamed } from "../clients/services.ts";
import { readBackend } from "./backend.ts";
import { servedAt } from "./entryPoints.ts";
import { allowsCrossNamespace, middlewareOf, NOT_LOADED } from "./middlewares.ts";
import { hostsAndPaths, isWhole, type PathMatch } from "./matches.ts";
import type { Protocol, Source, SourceRoute } from "./source.ts";
import { annotatedTls, certificateFor, readTls } from "./tls.ts";

/** Fields of a rule of an IngressRoute that an entry expresses, or that change no request. */
const RULE_FIELDS = new Set(["match", "kind", "priority", "services", "middlewares", "observability", "syntax"]);
const OTHER_KINDS: Readonly<Record<string, string>> = {
  IngressRouteTCP: "Gatehouse routes HTTP only, not TCP",
  HTTPRoute: "routes of the Gateway API are not imported",
  GRPCRoute: "routes of the Gateway API are not imported",
  TLSRoute: "routes of the Gateway API are not imported",
  TCPRoute: "routes of the Gateway API are not imported",
};
const ANNOTATION = "traefik.ingress.kubernetes.io/";
const UNCERTAIN = `it has a certificate, but no annotation ${ANNOTATION}router.tls, so that its protocol depends on the entry point`;
/** Annotations of Traefik on an Ingress that are read below. */
const ROUTER = ["entrypoints", "middlewares", "priority", "tls", "tls.certresolver"].map((name) => `router.${name}`);
/** Traefik reads annotations of these prefixes only, in any case: those of Traefik 1, which authentik writes, change nothing. */
const READ = /^traefik\.ingress\.kubernetes\.io\/(router|service)\./i;

/** Returns every rule of every object that routes. */
export function routesOf(source: Source): SourceRoute[] {
  return source.manifests.flatMap((manifest) => {
    if (manifest.kind === "IngressRoute") return ingressRoute(manifest, source);
    if (manifest.kind === "Ingress") return ingress(manifest, source);
    return otherRoutes(manifest, source);
  });
}

function ingressRoute(manifest: Manifest, source: Source): SourceRoute[] {
  const { spec } = manifest;
  const routes = listOf(spec["routes"]);
  const own = spec["tls"] === undefined ? undefined : readTls(spec["tls"]);
  const parents =
    spec["parentRefs"] === undefined ? [] : ["it has parentRefs, so that another route decides before it"];
  return rulesOf(manifest).map((rule, index) => {
    const route = routes[index];
    const where = readMatch(rule, textAt(route, "syntax"));
    const backend = readBackend(listOf(at(route, "services")), manifest.namespace, source.manifests);
    const fields = Object.keys(fieldsOf(route)).filter((field) => !RULE_FIELDS.has(field));
    const { tls, ...served } = servedAt(rule, own, source);
    return {
      ...base(rule, index),
      ...where,
      ...served,
      tls: tls?.tls,
      middlewares: rule.middlewares ?? [],
      backend: backend.backend,
      problems: [
        ...where.problems,
        ...served.problems,
        ...(tls?.problems ?? []),
        ...classProblems(manifest),
        ...(allowsCrossNamespace(source.options) ? [] : namespaceProblems(rule)),
        ...parents,
        ...fields.map((field) => `its rule has the field ${field}, which has no equivalent`),
        ...backend.problems,
      ],
    };
  });
}

function classProblems(manifest: Manifest): string[] {
  const names = [textAt(manifest.spec, "ingressClassName"), textAt(manifest.props, "metadata", "annotations", CLASS)];
  return [...new Set(names)].filter(isOtherClass).map((name) => `its class is ${name}, not traefik`);
}

/** Returns a problem for references to another namespace: by default, Traefik does not load such a rule of an IngressRoute. */
function namespaceProblems({ manifest, backends, middlewares = [] }: RoutingRule): string[] {
  const services = backends.map(({ kind, namespace, name }) => ({ namespace, label: `${kind} ${namespace}/${name}` }));
  const others = middlewares.map((name) => ({ namespace: name.split("/")[0], label: `Middleware ${name}` }));
  const foreign = [...services, ...others].filter(({ namespace }) => namespace !== manifest.namespace);
  return foreign.map(({ label }) => `its ${label} is in another namespace, ${NOT_LOADED}`);
}

function base(rule: RoutingRule, index: number) {
  const { manifest, match, priority = match.length } = rule;
  return { manifest, index, match: withoutValues(match), priority, serves: (host: string) => rule.serves(host) };
}

function readMatch({ match }: RoutingRule, syntax: string | undefined) {
  const none = { hosts: [] as readonly string[], paths: [] as readonly PathMatch[] };
  if (syntax === "v2") return { ...none, problems: ["its rule has the syntax of Traefik 2"] };
  const found = hostsAndPaths(match);
  return typeof found === "string" ? { ...none, problems: [found] } : { ...found, problems: [] };
}

function ingress(manifest: Manifest, source: Source): SourceRoute[] {
  const annotations = fieldsOf(at(manifest.props, "metadata", "annotations"));
  const annotation = (name: string): string | undefined => textAt(annotations, `${ANNOTATION}router.${name}`);
  const foreign = Object.keys(annotations).filter(
    (key) => READ.test(key) && !ROUTER.includes(key.slice(ANNOTATION.length)),
  );
  const common = [
    ...classProblems(manifest),
    ...foreign.map((key) => `its annotation ${key} has no equivalent`),
    ...(/^-?\d+$/.test(annotation("priority") ?? "0") ? [] : ["its annotation router.priority is not an integer"]),
  ];
  const paths = listOf(manifest.spec["rules"]).flatMap((rule) =>
    listOf(at(rule, "http", "paths")).map((path) => ({ host: textAt(rule, "host"), path })),
  );
  return rulesOf(manifest).map((rule, index) => {
    const { host, path } = paths[index] ?? { host: undefined, path: undefined };
    const { tls, ...served } = servedAt(rule, annotatedTls(annotation), source);
    const certificate = certificateFor(manifest, host);
    const isNamed = host !== undefined && !host.includes("*");
    const match = pathOf(path);
    const backend = readBackend([backendOf(path)], manifest.namespace, source.manifests);
    const annotated = backend.backend ? serviceProblems(backend.backend, source.manifests) : [];
    const length = `Host("${host ?? ""}") && PathPrefix("${textAt(path, "path") ?? "/"}")`.length;
    return {
      ...base(rule, index),
      hosts: isNamed ? [plainHost(host)] : [],
      paths: isWhole([match]) ? [] : [match],
      priority: rule.priority ?? length,
      ...served,
      tls: tls?.tls.termination === "resolver" ? tls.tls : (certificate ?? tls?.tls),
      middlewares: (rule.middlewares ?? [])
        .filter((name) => name !== "")
        .map((name) => middlewareOf(name, source.manifests)),
      backend: backend.backend,
      problems: [
        ...common,
        ...(isNamed ? [] : ["it names no host, or has a wildcard for one"]),
        ...(certificate && tls === undefined ? [UNCERTAIN] : []),
        ...(tls?.problems ?? []),
        ...served.problems,
        ...backend.problems,
        ...annotated,
      ],
    };
  });
}

/** Returns problems of the annotations that Traefik reads of an Ingress's Service: the protocol of the backend, sticky sessions, and others. */
function serviceProblems(backend: Backend, manifests: readonly Manifest[]): string[] {
  const { namespace, name } = backend;
  const service = serviceNamed(backend, manifests);
  const annotations = Object.keys(fieldsOf(at(service?.props, "metadata", "annotations")));
  return annotations
    .filter((key) => READ.test(key))
    .map((key) => `its Service ${namespace}/${name} has the annotation ${key}, which has no equivalent`);
}

function pathOf(path: Value): PathMatch {
  return { kind: textAt(path, "pathType") === "Exact" ? "exact" : "prefix", path: textAt(path, "path") ?? "/" };
}

/** Returns the backend of an Ingress in the form of a Traefik service; empty for one that is not a Service. */
function backendOf(path: Value): Value {
  const service = at(path, "backend", "service");
  const port = at(service, "port", "number") ?? at(service, "port", "name");
  return { name: textAt(service, "name"), port };
}

function otherRoutes(manifest: Manifest, source: Source): SourceRoute[] {
  const reason = OTHER_KINDS[manifest.kind];
  if (reason === undefined) return [];
  const { http, https } = source.entryPoints;
  return rulesOf(manifest).map((rule, index) => {
    const { hosts = [], entryPoints, match } = rule;
    // A route for TCP takes whole connections; on a separate entry point it takes none of HTTP.
    const competes = entryPoints.length === 0 || entryPoints.includes(http) || entryPoints.includes(https);
    return {
      manifest,
      index,
      match: withoutValues(match),
      hosts: [...hosts],
      paths: [],
      everywhere: false,
      tls: undefined,
      middlewares: [],
      protocols: new Set<Protocol>(competes ? ["http", "https"] : []),
      priority: Infinity,
      backend: undefined,
      problems: [reason],
      serves: (host) => competes && rule.serves(host),
    };
  });
}
