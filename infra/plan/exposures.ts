/** Which host stands for what: each service, and each thing that the stack brings along, on each of its enabled domains. */
import type { Backend, Domain, Service, Settings } from "../../config/settings.ts";
import { exposureId, proxySlug } from "./names.ts";
import type { ApplicationRecord, Exposure } from "./types.ts";

/** authentik's HTTP listener and the name that its Service gets (infra/identity). */
const IDENTITY_PROVIDER_SERVICE = { name: "authentik-server", port: 9000 };
/** PostgREST's listener and the name that its Service gets (infra/data). */
const DATA_API_SERVICE = { name: "postgrest", port: 3000 };
/** The open test host (spec 000, "Test environments per application"). */
const OPEN_TEST_HOST = "whoami-public";

/** The identity provider first, then the data API and the test host, then the list; each in the order of the `domains` section. */
export function exposures(settings: Settings): Exposure[] {
  const enabled = settings.domains.filter((domain) => domain.enabled);
  const on = (kinds: readonly string[]) => enabled.filter(({ kind }) => kinds.includes(kind));
  const { dataApi, testEnvironments } = settings;
  const own = enabled.map((domain) =>
    open("identity-provider", settings.identityProvider.host, domain, identityProviderBackend(settings)),
  );
  if (dataApi) {
    const backend = { ...DATA_API_SERVICE, namespace: dataApi.namespace };
    own.push(...on(dataApi.domains).map((domain) => open("data-api", dataApi.host, domain, backend)));
  }
  if (testEnvironments.enabled) {
    own.push(...on(["localhost"]).map((domain) => open("test", OPEN_TEST_HOST, domain, testEnvironments.backend)));
  }
  return [
    ...own,
    ...settings.services.flatMap((service) => on(service.domains).map((domain) => exposed(service, domain))),
  ];
}

/** The identity provider's Service in the cluster, which also answers for the outpost. */
export function identityProviderBackend(settings: Settings): Backend {
  return { ...IDENTITY_PROVIDER_SERVICE, namespace: settings.identityProvider.namespace };
}

function exposed(service: Service, domain: Domain): Exposure {
  return {
    ...address(service.name, domain),
    role: "service",
    protection: service.type,
    groups: service.groups,
    publicPaths: service.publicPaths,
    session: service.type === "basic" ? undefined : service.session,
    backend: service.backend,
    application: application(service, domain),
  };
}

function open(role: Exclude<Exposure["role"], "service">, label: string, domain: Domain, backend: Backend): Exposure {
  const access = { groups: [], publicPaths: [], session: undefined, application: undefined };
  return { ...address(label, domain), role, protection: "open", ...access, backend };
}

function address(label: string, { kind, baseDomain, protocol, port }: Domain) {
  const host = `${label}.${baseDomain}`;
  const own = protocol === "https" ? 443 : 80;
  const origin = port === undefined || port === own ? host : `${host}:${port}`;
  const id = exposureId(label, kind);
  return { id, service: label, domain: kind, host, url: `${protocol}://${origin}`, tls: protocol === "https" };
}

function application(service: Service, domain: Domain): ApplicationRecord | undefined {
  if (service.type === "basic") return undefined;
  const name = service.applicationSlug;
  return { name, slug: service.type === "proxy" ? proxySlug(name, domain.kind) : name };
}
