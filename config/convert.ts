/** Second pass, first half: drafts become settings; template variables are filled in, defaults that depend on others are chosen. */
import type { EntrySettings } from "../protections/entry.ts";
import { PROTECTIONS } from "../protections/table.ts";
import { DAY_LENGTH } from "./fields.ts";
import { milliseconds } from "./interval.ts";
import type {
  DataApiInput,
  DomainInput,
  IdentityProviderInput,
  GatewayInput,
  TestEnvironmentsInput,
} from "./schema.ts";
import { resolve } from "./resolve.ts";
import type { ServiceInput } from "./service-schema.ts";
import type {
  Backend,
  Catalog,
  DataApi,
  Domain,
  IdentityProvider,
  Service,
  TestEnvironments,
  Tls,
  TraefikGateway,
} from "./settings.ts";
import { join, type Location } from "./location.ts";
import type { Draft } from "./shapes.ts";
import type { Variables } from "./variables.ts";

/**
 * A domain kind. An enabled one whose base domain is missing or cannot be filled in has the base domain `""`; the text of a disabled one is
 * kept as written, since nothing depends on it.
 */
export function toDomain(kind: string, { location, fields }: Draft<DomainInput>, variables: Variables): Domain {
  const local = kind === "localhost";
  const enabled = fields.enabled ?? local;
  const baseDomain = fields.base_domain ?? (local ? "localhost" : "");
  const targets = fields.targets ?? [];
  const protocol = fields.protocol ?? (local ? "http" : "https");
  return {
    kind,
    enabled,
    baseDomain: enabled ? (variables.plain(baseDomain, at(location, "base_domain")) ?? "") : baseDomain,
    protocol,
    port: enabled && fields.port !== undefined ? variables.port(fields.port, at(location, "port")) : undefined,
    description: fields.description ?? "",
    targets: enabled
      ? targets.flatMap((target, index) => variables.plain(target, at(location, "targets", index)) ?? [])
      : targets,
    tls: protocol === "http" ? undefined : toTls(fields.tls),
  };
}

function toTls(input: DomainInput["tls"]): Tls {
  if (input === undefined) return { ends: "default" };
  if (input === "upstream") return { ends: "upstream" };
  return "resolver" in input ? { ends: "resolver", name: input.resolver } : { ends: "secret", name: input.secret };
}

/** The enabled ones of the named kinds, in the order of the settings; `auto` = every enabled kind. */
export function enabledKinds(named: "auto" | readonly string[], domains: readonly Domain[]): string[] {
  return domains
    .filter(({ kind, enabled }) => enabled && (named === "auto" || named.includes(kind)))
    .map(({ kind }) => kind);
}

/** An entry of `protected_services`. @param session default length of a session */
export function toService(
  { location, value: input }: Draft<ServiceInput>,
  domains: readonly Domain[],
  session: string,
  variables: Variables,
): Service | undefined {
  const schema = PROTECTIONS[input?.type ?? ""]?.schema;
  if (input === undefined || schema === undefined) return undefined;
  const { service: written, ...own } = resolve(schema, input, location, variables) as unknown as ServiceFields;
  return {
    ...own,
    backend: { name: written.name ?? input.name, namespace: written.namespace, port: written.port },
    domains: enabledKinds(input.domains, domains),
    groups: own.groups ?? [],
    session: own.session ?? session,
  } as Service;
}

/** The fields of any entry, in camel case. */
type ServiceFields = Partial<EntrySettings> & { readonly service: Omit<Backend, "name"> & { readonly name?: string } };

/** The identity provider; undefined when any of it is wrong. */
export function toIdentityProvider(
  { location, value: input }: Draft<IdentityProviderInput>,
  variables: Variables,
): IdentityProvider | undefined {
  if (input === undefined) return undefined;
  const secret = (text: string, ...keys: readonly PropertyKey[]) => variables.secret(text, at(location, ...keys));
  const address = (text: string | undefined, key: string) =>
    text === undefined ? undefined : variables.address(text, at(location, key));
  const { database } = input;
  return {
    host: input.host,
    domain: input.domain,
    namespace: input.namespace,
    install: input.install,
    version: input.version,
    url: address(input.url, "url"),
    service: input.service,
    apiUrl: address(input.api_url, "api_url"),
    token: secret(input.token, "token"),
    adminEmail: variables.plain(input.admin_email, at(location, "admin_email")) ?? "",
    adminPassword: input.admin_password === undefined ? undefined : secret(input.admin_password, "admin_password"),
    secretKey: input.secret_key === undefined ? undefined : secret(input.secret_key, "secret_key"),
    database: database && { ...database, password: secret(database.password, "database", "password") },
    session: input.session,
    groups: input.groups,
    serviceAccounts: input.service_accounts,
    providersPerOutpost: input.providers_per_outpost,
    sampleUsers: input.sample_users.map((user, index) => ({
      ...user,
      password: secret(user.password, "sample_users", index, "password"),
    })),
  };
}

/** The data API; undefined when any of it is wrong. */
export function toDataApi(
  { location, value: input }: Draft<DataApiInput>,
  domains: readonly Domain[],
  variables: Variables,
): DataApi | undefined {
  if (input === undefined) return undefined;
  return {
    host: input.host,
    namespace: input.namespace,
    domains: enabledKinds(input.domains, domains),
    database: input.database,
    version: input.version,
    replicas: input.replicas,
    maxReplicas: input.max_replicas,
    exposed: input.schemas.exposed,
    private: input.schemas.private,
    deprecated: Object.entries(input.schemas.deprecated).map(([schema, { since, sunset, link }]) => ({
      schema,
      since: since.slice(0, DAY_LENGTH),
      sunset: sunset.slice(0, DAY_LENGTH),
      link,
    })),
    catalog: toCatalog(input.catalog),
    roles: input.roles,
    authenticatorPassword: variables.secret(input.authenticator_password, at(location, "authenticator_password")),
    ownerPassword: variables.secret(input.owner_password, at(location, "owner_password")),
    limits: {
      maxRows: input.limits.max_rows,
      statementTimeout: milliseconds(input.limits.statement_timeout),
      connections: input.limits.connections,
      exactCountRows: input.limits.exact_count_rows,
      maxAge: input.limits.max_age,
      requestsPerSecond: input.limits.requests_per_second,
      burst: input.limits.burst,
      inFlight: input.limits.in_flight,
    },
  };
}

function toCatalog(input: DataApiInput["catalog"]): Catalog | undefined {
  return input === false ? undefined : { host: input.host, basePath: input.base_path, replicas: input.replicas };
}

/** The gateway; undefined when any of it is wrong. */
export function toGateway({ value: input }: Draft<GatewayInput>): TraefikGateway | undefined {
  if (input === undefined) return undefined;
  return {
    version: input.version,
    namespace: input.namespace,
    service: input.service,
    podLabels: input.pod_labels,
    httpEntryPoint: input.http_entry_point,
    httpsEntryPoint: input.https_entry_point,
  };
}

/** The test environments of the applications. */
export function toTestEnvironments({ fields }: Draft<TestEnvironmentsInput>): TestEnvironments {
  const backend = fields.service ?? { name: "whoami", namespace: "default", port: 8080 };
  return { enabled: fields.enabled ?? true, install: fields.install ?? false, backend };
}

function at(location: Location, ...keys: readonly PropertyKey[]): Location {
  return { ...location, path: join(location.path, ...keys) };
}
