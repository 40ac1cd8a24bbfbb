import type { Backend } from "../../config/sections/protectedServices/backend.ts";
import type { Tls } from "../../config/sections/domains/domains.ts";
import { plainHost, withoutValues } from "../../manifests/matcher.ts";
import { CLASS, isOtherClass } from "../../manifests/ingressClass.ts";
import { at, fieldsOf, listOf, type Manifest, textAt, type Value } from "../../manifests/resource.ts";
import { type RoutingRule, rulesOf } from "../../manifests/routing.ts";
import { serviceNamed } from "../clients/services.ts";
import { readBackend } from "./backend.ts";
import { NOT_LOADED } from "./middlewares.ts";
import { hostsAndPaths, isWhole, type PathMatch } from "./matches.ts";
import type { Protocol, Source, SourceRoute } from "./source.ts";

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
  const tls = spec["tls"] === undefined ? undefined : readTls(spec["tls"]);
  const parents =
    spec["parentRefs"] === undefined ? [] : ["it has parentRefs, so that another route decides before it"];
  return rulesOf(manifest).map((rule, index) => {
    const route = routes[index];
    const where = readMatch(rule, textAt(route, "syntax"));
    const backend = readBackend(listOf(at(route, "services")), manifest.namespace, source.manifests);
    const fields = Object.keys(fieldsOf(route)).filter((field) => !RULE_FIELDS.has(field));
    const protocols = protocolsOf(rule, tls !== undefined, source);
    return {
      ...base(rule, index),
      ...where,
      ...protocols,
      tls: tls?.tls,
      middlewares: rule.middlewares ?? [],
      backend: backend.backend,
      problems: [
        ...where.problems,
        ...protocols.problems,
        ...(tls?.problems ?? []),
        ...classProblems(manifest),
        ...(source.crossNamespace ? [] : namespaceProblems(rule)),
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

function protocolsOf({ entryPoints }: RoutingRule, hasTls: boolean, { entryPoints: { http, https } }: Source) {
  const everywhere = entryPoints.length === 0;
  const protocols = new Set<Protocol>();
  if (hasTls) protocols.add("https");
  else if (everywhere) protocols.add("http");
  else
    for (const name of entryPoints)
      if (name === http || name === https) protocols.add(name === http ? "http" : "https");
  const others = entryPoints.filter((name) => name !== http && name !== https);
  const problems = others.map((name) => `it is on the entry point ${name}, which is neither ${http} nor ${https}`);
  return { protocols, everywhere, problems };
}

function readTls(value: Value): { readonly tls: Tls; readonly problems: readonly string[] } {
  const [resolver, secret] = [textAt(value, "certResolver"), textAt(value, "secretName")];
  const others = Object.keys(fieldsOf(value)).filter((key) => !["certResolver", "secretName", "domains"].includes(key));
  const problems = others.map((key) => `its tls.${key} has no equivalent (it can demand client certificates)`);
  if (resolver !== undefined) return { tls: { termination: "resolver", name: resolver }, problems };
  return { tls: secret === undefined ? { termination: "default" } : { termination: "secret", name: secret }, problems };
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
    const { tls, problems } = ingressTls(manifest, host, annotation("tls") === "true", annotation("tls.certresolver"));
    const protocols = protocolsOf(rule, tls !== undefined, source);
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
      ...protocols,
      tls,
      middlewares: (rule.middlewares ?? [])
        .filter((name) => name !== "")
        .map((name) => middlewareOf(name, source.manifests)),
      backend: backend.backend,
      problems: [
        ...common,
        ...(isNamed ? [] : ["it names no host, or has a wildcard for one"]),
        ...problems,
        ...protocols.problems,
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

/** Returns the TLS of an Ingress: Traefik uses its certificate for the host; the annotations, or the entry point, enable TLS. */
function ingressTls(manifest: Manifest, host: string | undefined, isOn: boolean, resolver: string | undefined) {
  const own = listOf(manifest.spec["tls"]).find((tls) => listOf(at(tls, "hosts")).some((one) => one === host));
  const secret = textAt(own, "secretName");
  const tls: Tls | undefined =
    resolver !== undefined
      ? { termination: "resolver", name: resolver }
      : secret !== undefined
        ? { termination: "secret", name: secret }
        : isOn
          ? { termination: "default" }
          : undefined;
  if (secret === undefined || isOn || resolver !== undefined) return { tls, problems: [] };
  const problem = `it has a certificate, but no annotation ${ANNOTATION}router.tls, so that its protocol depends on the entry point`;
  return { tls, problems: [problem] };
}

/** Returns `<namespace>/<name>` of `<namespace>-<name>@kubernetescrd`, in which the end of the namespace is ambiguous. */
function middlewareOf(reference: string, manifests: readonly Manifest[]): string {
  const found = manifests.find(({ kind, namespace, objectName }) => {
    return kind === "Middleware" && reference === `${namespace}-${objectName ?? ""}@kubernetescrd`;
  });
  return found ? `${found.namespace}/${found.objectName ?? ""}` : reference;
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
