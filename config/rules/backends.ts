/** Rejects entries whose backend is a Service of the stack, and warns of those that Traefik cannot reach. */
import { AUTHENTIK_SERVICE, CATALOG_SERVICE, DATA_API_SERVICE } from "../../infra/plan/ownServices.ts";
import { formatLocation, type Location, within } from "../errors/location.ts";
import { type Problem, problem } from "../errors/problems.ts";
import type { Drafts } from "../sections/sections.ts";
import type { TestEnvironments } from "../sections/testEnvironments.ts";

/** Traefik's CRD provider decides the protocol by the port (`loadServers`). */
const HTTPS_PORT = 443;

/**
 * Refuses entries whose backend is a Service that the stack deploys: their routes have none of its rules. An open route to PostgREST would have no limits of a
 * client, and pass on any schema.
 */
export function backendRules(
  { services, dataApi, identityProvider }: Pick<Drafts, "services" | "dataApi" | "identityProvider">,
  testEnvironments: TestEnvironments,
): Problem[] {
  const data = dataApi?.fields.namespace;
  const identity = installedIn(identityProvider);
  const own = [
    { namespace: data, name: DATA_API_SERVICE.name, of: "the data API" },
    { namespace: data, name: CATALOG_SERVICE.name, of: "the catalog" },
    { namespace: identity, name: AUTHENTIK_SERVICE.name, of: "the identity provider" },
  ];
  const backends: { name: string | undefined; namespace: string | undefined; location: Location }[] = [
    ...services.map(({ location, fields: { name, service } }) => ({
      name: service?.name ?? name,
      namespace: service?.namespace,
      location: within(location, "service"),
    })),
    ...(testEnvironments.enabled
      ? [{ ...testEnvironments.backend, location: { path: "test_environments.service" } }]
      : []),
  ];
  return backends.flatMap(({ name, namespace, location }) =>
    own
      .filter((one) => one.namespace !== undefined && one.name === name && one.namespace === namespace)
      .map(({ of }) => {
        const message = `Service "${name}" in namespace "${namespace}" is that of ${of}, which has its own route`;
        return problem(location, message, "name the Service of an application");
      }),
  );
}

/** Returns the namespace of an identity provider that the stack installs. */
function installedIn(identityProvider: Drafts["identityProvider"]): string | undefined {
  return identityProvider?.fields.install === true ? identityProvider.fields.namespace : undefined;
}

/** Warns of backends to which Traefik's requests fail: of port 443, and in the namespace of an installed identity provider. */
export function backendWarnings({
  services,
  identityProvider,
}: Pick<Drafts, "services" | "identityProvider">): string[] {
  const identity = installedIn(identityProvider);
  return services.flatMap(({ location, fields: { service } }) => {
    const at = (key: string): string => formatLocation(within(location, "service", key));
    return [
      ...(service?.port === HTTPS_PORT
        ? [
            `${at("port")}: Traefik sends HTTPS to port 443, and verifies the certificate for the address of the Service. Use a port for HTTP.`,
          ]
        : []),
      ...(identity !== undefined && service?.namespace === identity
        ? [
            `${at("namespace")}: the network policy of authentik in namespace "${identity}" admits requests to authentik's port only. Move the application to another namespace.`,
          ]
        : []),
    ];
  });
}
