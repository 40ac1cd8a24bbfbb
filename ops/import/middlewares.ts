/** What the middlewares of a route do, as far as an entry of `protected_services` can express it. */
import { isOn, type Options } from "../../infra/prerequisites/staticOptions.ts";
import { AUTHENTIK_HEADERS } from "../../infra/identity/headers.ts";
import { OUTPOST_PATH } from "../../protections/forwardAuth.ts";
import { at, fieldsOf, listOf, type Manifest, textAt, type Value } from "../../manifests/resource.ts";
import { type Server, serverAt } from "./server.ts";
import type { Source } from "./source.ts";

export type Authentication =
  | { readonly kind: "none" }
  /** @param server that forward auth requests */
  | { readonly kind: "authentik"; readonly server: Server }
  /** @param secret that of the users, as `<namespace>/<name>` */
  | { readonly kind: "basic"; readonly secret: string };

export interface Chain {
  readonly authentication: Authentication;
  /** Whether requests over HTTP are redirected to HTTPS. */
  readonly redirects: boolean;
  /** What changes for the application or its clients when Gatehouse serves the host. */
  readonly differences: readonly string[];
  /** Why the chain cannot be written as an entry. */
  readonly problems: readonly string[];
}

/** Fields of the middleware `headers` that change responses only. */
const RESPONSE_HEADERS =
  /^(customResponseHeaders|accessControl.*|addVaryHeader|sts.*|forceSTSHeader|frameDeny|customFrameOptionsValue|contentTypeNosniff|browserXssFilter|customBrowserXSSValue|contentSecurityPolicy.*|publicKey|referrerPolicy|permissionsPolicy|featurePolicy)$/;

const NOTHING: Chain = { authentication: { kind: "none" }, redirects: false, differences: [], problems: [] };

/** Why a reference to another namespace is refused. */
export const NOT_LOADED = "which Traefik loads with allowCrossNamespace only";

type Objects = Pick<Source, "manifests" | "options">;

/** Reads what the middlewares of a route do. @param references middlewares in order, as `<namespace>/<name>` */
export function readChain(references: readonly string[], source: Objects): Chain {
  return references.map((name) => readMiddleware(name, source, [])).reduce(joined, NOTHING);
}

/** Returns whether Traefik loads routes that refer to another namespace; it does not by default, and not if its options are not known. */
export function allowsCrossNamespace(options: Options): boolean {
  return isOn(options, "providers.kubernetesCRD.allowCrossNamespace");
}

/** Returns `<namespace>/<name>` of `<namespace>-<name>@kubernetescrd`, in which the end of the namespace is ambiguous. */
export function middlewareOf(reference: string, manifests: readonly Manifest[]): string {
  const found = manifests.find(({ kind, namespace, objectName }) => {
    return kind === "Middleware" && reference === `${namespace}-${objectName ?? ""}@kubernetescrd`;
  });
  return found ? `${found.namespace}/${found.objectName ?? ""}` : reference;
}

/** @param within the chains that contain it */
function readMiddleware(reference: string, source: Objects, within: readonly string[]): Chain {
  const { manifests, options } = source;
  if (/\/gatehouse-/.test(reference)) return problem("it is deployed by another stack of Gatehouse");
  const found = manifests.find(
    ({ kind, namespace, objectName }) => kind === "Middleware" && `${namespace}/${objectName ?? ""}` === reference,
  );
  const label = `Middleware ${reference}`;
  if (found === undefined) return problem(`its ${label} does not exist or is none of the provider kubernetescrd`);
  if (within.includes(reference)) return problem(`its ${label} contains itself`);
  const sections = Object.entries(found.spec).filter(([, value]) => value !== null);
  const [first, ...others] = sections;
  if (first === undefined || others.length > 0) return problem(`its ${label} has ${sections.length} sections, not one`);
  const [kind, section] = first;
  switch (kind) {
    case "chain":
      return listOf(at(section, "middlewares"))
        .map((one) => `${textAt(one, "namespace") ?? found.namespace}/${textAt(one, "name") ?? ""}`)
        .map((name) =>
          allowsCrossNamespace(options) || name.startsWith(`${found.namespace}/`)
            ? readMiddleware(name, source, [...within, reference])
            : problem(`its Middleware ${name} is in another namespace than ${label}, ${NOT_LOADED}`),
        )
        .reduce(joined, NOTHING);
    case "redirectScheme":
      return textAt(section, "scheme") === "https"
        ? { ...NOTHING, redirects: true }
        : problem(`its ${label} (redirectScheme) does not redirect to https`);
    case "forwardAuth":
      return forwardAuth(label, section, manifests);
    case "basicAuth":
      return basicAuth(label, section, found.namespace);
    case "compress":
    case "retry":
      return { ...NOTHING, differences: [`${label} (${kind}) no longer applies`] };
    case "headers":
      return headers(label, section);
    default:
      return problem(`its ${label} (${kind}) has no equivalent`);
  }
}

/** In lower case. */
const REMOVED: ReadonlySet<string> = new Set(AUTHENTIK_HEADERS.map((name) => name.toLowerCase()));

function forwardAuth(label: string, section: Value, manifests: Source["manifests"]): Chain {
  const address = URL.parse(textAt(section, "address") ?? "");
  if (address?.pathname.startsWith(`${OUTPOST_PATH}/auth/`) !== true) {
    return problem(`its ${label} (forwardAuth) requests another server than an outpost of authentik`);
  }
  const names = listOf(at(section, "authResponseHeaders")).filter((name) => typeof name === "string");
  const others = names.filter((name) => !name.toLowerCase().startsWith("x-idp-"));
  const pattern = textAt(section, "authResponseHeadersRegex");
  const matching = pattern === undefined ? [] : [`those that match ${pattern}`];
  const omitted = [...others, ...matching].join(", ");
  const forgeable = [...others.filter((name) => !REMOVED.has(name.toLowerCase())), ...matching].join(", ");
  const differences = [
    ...(omitted === "" ? [] : [`the application receives X-idp-* headers, and from ${label} no longer ${omitted}`]),
    ...(forgeable === "" ? [] : [clientsCanSend(forgeable)]),
  ];
  return { ...NOTHING, authentication: { kind: "authentik", server: serverAt(address, manifests) }, differences };
}

/** Returns that requests keep the headers that authentik replaced until now. @param headers as the report names them */
export function clientsCanSend(headers: string): string {
  return `clients can send ${headers}, which the gateway does not remove: change the application to X-idp-* before the deployment`;
}

function basicAuth(label: string, section: Value, namespace: string): Chain {
  const secret = textAt(section, "secret");
  if (secret === undefined) return problem(`its ${label} (basicAuth) has no Secret`);
  const keeps = at(section, "removeHeader") !== true;
  const header = textAt(section, "headerField");
  const differences = [
    ...(keeps ? ["the application no longer receives the header Authorization with the password"] : []),
    ...(header === undefined || header.toLowerCase() === "x-idp-username"
      ? []
      : [`the application receives the user name in X-idp-username, not in ${header}`]),
    "the realm of the login dialogue is the name of the service",
  ];
  return { ...NOTHING, authentication: { kind: "basic", secret: `${namespace}/${secret}` }, differences };
}

function headers(label: string, section: Value): Chain {
  const fields = Object.keys(fieldsOf(section));
  const other = fields.find((field) => !RESPONSE_HEADERS.test(field));
  if (other !== undefined) return problem(`its ${label} (headers.${other}) has no equivalent`);
  return { ...NOTHING, differences: [`${label} (headers) no longer sets ${fields.join(", ")}`] };
}

function problem(text: string): Chain {
  return { ...NOTHING, problems: [text] };
}

function joined(a: Chain, b: Chain): Chain {
  const both = a.authentication.kind !== "none" && b.authentication.kind !== "none";
  return {
    authentication: a.authentication.kind === "none" ? b.authentication : a.authentication,
    redirects: a.redirects || b.redirects,
    differences: [...a.differences, ...b.differences],
    problems: [...new Set([...a.problems, ...b.problems]), ...(both ? ["it has several authentications"] : [])],
  };
}
