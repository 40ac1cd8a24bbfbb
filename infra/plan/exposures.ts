/** Exposures: each service, and each thing that the stack adds, on each of its enabled domains. */
import type { Backend, Domain, Service, Settings } from "../../config/settings.ts";
import { forwardAuth } from "../../protections/forwardAuth.ts";
import { protectionOf } from "../../protections/table.ts";
import type { Exposure } from "./exposure.ts";
import { hostLabels } from "./hosts.ts";
import { exposureId } from "./objectNames.ts";
import { assignOutposts } from "./outposts.ts";
import { AUTHENTIK_SERVICE, CATALOG_SERVICE, DATA_API_SERVICE } from "./ownServices.ts";
import { proxySlug, testName } from "./slugs.ts";

/** Returns an exposure for each host of the stack. */
export function exposures(settings: Settings): Exposure[] {
  const services = new Map(settings.services.map((service) => [service.name, service]));
  const all = hostLabels(settings).flatMap(({ label, kinds, role, entry }) => {
    const service = services.get(entry ?? "");
    const backend = backendOf(role, service, settings);
    if (backend === undefined) return [];
    const on = settings.domains.filter(({ kind }) => kinds.includes(kind));
    return on.map((domain): Exposure => {
      const publicPaths = role === "service" ? (service?.publicPaths ?? []) : [];
      const host = { ...address(label, domain), role };
      const of = service ? { ...protect(service, role === "test", domain), ...host } : { ...host, ...OPEN };
      return { ...of, publicPaths, backend };
    });
  });
  return assignOutposts(all, settings);
}

/** The protection of a host that the stack adds. */
const OPEN = {
  entry: undefined,
  protection: "open",
  authentication: "none",
  groups: [],
  session: undefined,
  application: undefined,
  outpost: undefined,
};

function backendOf(role: Exposure["role"], service: Service | undefined, settings: Settings): Backend | undefined {
  const namespace = settings.dataApi?.namespace ?? "";
  switch (role) {
    case "identity-provider":
      return identityProviderBackend(settings);
    case "data-api":
      return { ...DATA_API_SERVICE, namespace };
    case "catalog":
      return { ...CATALOG_SERVICE, namespace };
    case "test":
      return settings.testEnvironments.backend;
    case "service":
      return service?.backend;
  }
}

/** Returns the identity provider's Service in the cluster; undefined for one outside of it. */
function identityProviderBackend({ identityProvider }: Settings): Backend | undefined {
  const { install, namespace, service } = identityProvider;
  if (install) return { ...AUTHENTIK_SERVICE, namespace };
  return service && { ...service, namespace };
}

/** @param isTest whether the host is that of the test environment, which is a separate application */
function protect(service: Service, isTest: boolean, domain: Domain) {
  const { name: entry, type: protection, groups, session, applicationSlug: name } = service;
  const { gateway, ...row } = protectionOf(protection);
  const authenticates = row.gatewayAuthenticates?.(service, isTest ? "test" : "service") ?? true;
  const authentication = (authenticates ? gateway?.name : undefined) ?? "none";
  const application =
    authentication === forwardAuth.name && name !== undefined
      ? { name, slug: proxySlug(isTest ? testName(name) : name, domain.kind) }
      : undefined;
  return {
    entry,
    protection,
    groups,
    session: name === undefined ? undefined : session,
    outpost: undefined,
    authentication,
    application,
  };
}

function address(label: string, { kind, baseDomain, protocol, port, tls }: Domain) {
  const host = `${label}.${baseDomain}`;
  const own = protocol === "https" ? 443 : 80;
  const origin = port === undefined || port === own ? host : `${host}:${port}`;
  const id = exposureId(label, kind);
  return { id, service: label, domain: kind, host, url: `${protocol}://${origin}`, tls };
}
