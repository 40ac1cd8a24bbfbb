/** The Postgres server: an existing one, or one that the stack installs; fields of both are a problem. */
import { coerce, satisfies } from "semver";
import type { Problem } from "./problems.ts";
import { within } from "./location.ts";
import { type Drafts, problem } from "./rules.ts";
import type { PostgresInput } from "./schema.ts";
import type { PostgresServer } from "./settings.ts";
import { isSection } from "./location.ts";
import type { Draft } from "./shapes.ts";
import type { Variables } from "./variables.ts";

/** Fields of an existing server. */
const EXISTING = ["host", "port", "user", "sslmode", "sslrootcert"];
/** Fields that require the operator. */
const OPERATED = ["instances", "operator_namespace", "monitoring"];

/** The Postgres server; undefined when any of it is wrong. */
export function toPostgres(
  { location, value: input }: Draft<PostgresInput>,
  variables: Variables,
): PostgresServer | undefined {
  if (input === undefined) return undefined;
  const { install } = input;
  const password = variables.secret(input.password, within(location, "password"));
  if (install === undefined) {
    return {
      host: variables.plain(input.host ?? "", within(location, "host")) ?? "",
      port: variables.port(input.port, within(location, "port")) ?? 0,
      user: variables.plain(input.user, within(location, "user")) ?? "",
      password,
      sslmode: input.sslmode,
      sslrootcert:
        input.sslrootcert === undefined
          ? undefined
          : variables.rootCertificates(input.sslrootcert, within(location, "sslrootcert")),
      install,
    };
  }
  const host = install.host ?? (install.service === "LoadBalancer" ? "localhost" : undefined);
  return {
    host: host === undefined ? undefined : variables.plain(host, within(location, "install", "host")),
    port: variables.port(install.port, within(location, "install", "port")) ?? 0,
    user: "postgres",
    password,
    // The image has no certificate; the operator creates one, which no public CA signs.
    sslmode: install.kind === "statefulset" ? "disable" : "require",
    sslrootcert: undefined,
    install: {
      kind: install.kind,
      namespace: install.namespace,
      version: install.version,
      size: install.size,
      storageClass: install.storage_class,
      service: install.service,
      allowedFrom: install.allowed_from,
      clients: install.clients,
      protect: install.protect,
      instances: install.kind === "statefulset" ? 1 : (install.instances ?? 3),
      operatorNamespace: install.operator_namespace ?? "cnpg-system",
      monitoring: install.monitoring,
    },
  };
}

/** Rules of `install`, and of fields that exclude it. */
export function postgresRules({ postgres, identityProvider, dataApi }: Drafts): Problem[] {
  if (postgres === undefined || !isSection(postgres.raw)) return [];
  const { location, fields } = postgres;
  const installs = isWritten(postgres, "install");
  if (!installs) {
    const hint = "add the host of an existing server, or install one: install: { kind: statefulset }";
    const missing = isWritten(postgres, "host") ? [] : [problem(within(location, "host"), "missing", hint)];
    return [...missing, ...encryptionRules(postgres)];
  }
  const found = EXISTING.filter((key) => isWritten(postgres, key)).map((key) => {
    const hint =
      key === "host" || key === "port" ? `remove it, or set install.${key} instead` : "remove it, or remove install";
    return problem(within(location, key), "describes an existing server, but install deploys one", hint);
  });
  const { install } = fields;
  if (install === undefined) return found;
  if (install.kind === "statefulset") {
    for (const key of OPERATED.filter((name) => install[name as keyof typeof install] !== undefined)) {
      const hint = "remove it, or set kind: cloudnativepg";
      found.push(problem(within(location, "install", key), 'is not available with kind "statefulset"', hint));
    }
  }
  const others = {
    identity_provider: identityProvider?.fields.install === true ? identityProvider.fields.namespace : undefined,
    data_api: dataApi?.fields.namespace,
  };
  for (const [section, namespace] of Object.entries(others)) {
    if (namespace !== install.namespace) continue;
    const message = `namespace "${namespace}" is already used by ${section}`;
    found.push(problem(within(location, "install", "namespace"), message, "set another namespace"));
  }
  return found;
}

/**
 * What verifies the server's certificate and what it is verified against go together. `sslrootcert=system` (libpq 16) is no substitute: the
 * image of PostgREST contains no root certificates (its nix/tools/docker/default.nix).
 */
function encryptionRules(postgres: Draft<PostgresInput>): Problem[] {
  const { sslmode } = postgres.fields;
  const location = within(postgres.location, "sslrootcert");
  const verifies = sslmode === "verify-ca" || sslmode === "verify-full";
  if (sslmode === undefined || verifies === isWritten(postgres, "sslrootcert")) return [];
  if (!verifies) {
    const message = `sslmode "${sslmode}" does not verify the server's certificate`;
    return [problem(location, message, "set sslmode: verify-full, or remove sslrootcert")];
  }
  const hint = "add the root certificate of the server's CA as PEM text, for a public CA too";
  return [problem(location, `missing, and sslmode "${sslmode}" verifies the server's certificate`, hint)];
}

/** Where the read replicas stay unused. */
export function postgresWarnings({ postgres, dataApi }: Drafts): string[] {
  const version = dataApi?.fields.version;
  const install = postgres?.fields.install;
  if (version === undefined || install?.kind !== "cloudnativepg" || install.instances === 1) return [];
  if (listensOnPrimary(version)) return [];
  return [
    `data_api.version: PostgREST ${version} reads from the primary, because it cannot listen for schema changes on a replica. ` +
      "Set v12.2.0 or later to read from the replicas.",
  ];
}

/**
 * Whether a PostgREST listens on the primary while it reads from a replica: since 12.2.0 it asks for a read-write session for its
 * listener alone (its changelog, #3414). An older one listens on the replica, hears nothing, and serves old relations for ever (#3533).
 * @param version as in `data_api.version`: `v12.0.2`
 */
export function listensOnPrimary(version: string): boolean {
  return satisfies(coerce(version) ?? "0.0.0", ">=12.2.0");
}

/** Whether the stack file contains the key; a default does not count. */
function isWritten({ raw }: Draft<unknown>, key: string): boolean {
  return isSection(raw) && key in raw;
}
