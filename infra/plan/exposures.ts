/** Which host stands for what: each service, and each thing that the stack brings along, on each of its enabled domains. */
import type { Backend, Domain, Service, Settings } from "../../config/settings.ts";
import { forwardAuth } from "../../protections/forwardAuth.ts";
import { protectionOf } from "../../protections/table.ts";
import { exposureId, proxySlug } from "./names.ts";
import { assignOutposts } from "./outposts.ts";
import type { Exposure } from "./types.ts";

/** The Service of an installed authentik, and the HTTP listener of server and outposts (authentik docs, "Ports"). */
export const AUTHENTIK_SERVICE = { name: "authentik-server", port: 9000 };
/** PostgREST's listener and the name that its Service gets (infra/data). */
const DATA_API_SERVICE = { name: "postgrest", port: 3000 };
/** The catalog's server, and the name that its Service gets (infra/data). */
export const CATALOG_SERVICE = { name: "catalog", port: 8080 };
/** The echo service, and the open test host (spec 000, "Test environments per application"). */
const ECHO = "whoami";
const OPEN_TEST_HOST = "whoami-public";

/** The identity provider first, then the data API with its catalog and the test host, then the list; each in the order of the domains. */
export function exposures(settings: Settings): Exposure[] {
  const enabled = settings.domains.filter((domain) => domain.enabled);
  const on = (kinds: readonly string[]) => enabled.filter(({ kind }) => kinds.includes(kind));
  const { dataApi, testEnvironments } = settings;
  const own: Exposure[] = [];
  const identityProvider = identityProviderBackend(settings);
  if (identityProvider) {
    const { host } = settings.identityProvider;
    own.push(...enabled.map((domain) => open("identity-provider", host, domain, identityProvider)));
  }
  if (dataApi) {
    const backend = { ...DATA_API_SERVICE, namespace: dataApi.namespace };
    own.push(...on(dataApi.domains).map((domain) => open("data-api", dataApi.host, domain, backend)));
  }
  if (dataApi?.catalog) {
    const { host } = dataApi.catalog;
    const backend = { ...CATALOG_SERVICE, namespace: dataApi.namespace };
    own.push(...on(dataApi.domains).map((domain) => open("catalog", host, domain, backend)));
  }
  if (testEnvironments.enabled) {
    own.push(...on(["localhost"]).map((domain) => open("test", OPEN_TEST_HOST, domain, testEnvironments.backend)));
  }
  const listed = settings.services.flatMap((service) => on(service.domains).map((domain) => exposed(service, domain)));
  const tests = testEnvironments.enabled
    ? settings.services.flatMap((service) =>
        on(service.domains)
          .filter(({ kind }) => kind === "localhost")
          .map((domain) => testEnvironment(service, domain, testEnvironments.backend)),
      )
    : [];
  return assignOutposts([...own, ...listed, ...tests], settings);
}

/** The identity provider's Service in the cluster; undefined for one outside of it. */
export function identityProviderBackend({ identityProvider }: Settings): Backend | undefined {
  const { install, namespace, service } = identityProvider;
  if (install) return { ...AUTHENTIK_SERVICE, namespace };
  return service && { ...service, namespace };
}

/** An entry on a domain. */
function exposed(service: Service, domain: Domain): Exposure {
  const { name, backend, publicPaths, applicationSlug } = service;
  return {
    ...protect(service, "service", domain, applicationSlug),
    ...address(name, domain),
    role: "service",
    publicPaths,
    backend,
  };
}

/** The echo service behind the authentication of an entry. */
function testEnvironment(service: Service, domain: Domain, backend: Backend): Exposure {
  const { name, applicationSlug } = service;
  const slug = applicationSlug && `${ECHO}-${applicationSlug}`;
  const at = address(`${ECHO}-${name}`, domain);
  return { ...protect(service, "test", domain, slug), ...at, role: "test", publicPaths: [], backend };
}

/** @param slug the application's slug on every domain, if users sign in at the identity provider */
function protect(service: Service, role: "service" | "test", domain: Domain, slug: string | undefined) {
  const { name: entry, type: protection, groups, session, applicationSlug: name } = service;
  const row = protectionOf(protection);
  const authentication = (row.gatewayAuthenticates?.(service, role) ?? true) ? (row.gateway?.name ?? "none") : "none";
  const application =
    authentication === forwardAuth.name && name !== undefined && slug !== undefined
      ? { name, slug: proxySlug(slug, domain.kind) }
      : undefined;
  return {
    ...{ entry, protection, groups },
    session: name === undefined ? undefined : session,
    ...{ outpost: undefined, authentication, application },
  };
}

function open(role: Exclude<Exposure["role"], "service">, label: string, domain: Domain, backend: Backend): Exposure {
  return {
    ...address(label, domain),
    role,
    entry: undefined,
    protection: "open",
    authentication: "none",
    groups: [],
    publicPaths: [],
    session: undefined,
    application: undefined,
    outpost: undefined,
    backend,
  };
}

function address(label: string, { kind, baseDomain, protocol, port, tls }: Domain) {
  const host = `${label}.${baseDomain}`;
  const own = protocol === "https" ? 443 : 80;
  const origin = port === undefined || port === own ? host : `${host}:${port}`;
  const id = exposureId(label, kind);
  return { id, service: label, domain: kind, host, url: `${protocol}://${origin}`, tls };
}
