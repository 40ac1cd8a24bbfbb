/** The Postgres server: one that is there, or one that the stack installs, never half of each. */
import { coerce, satisfies } from "semver";
import type { Problem } from "./problems.ts";
import { type Drafts, problem, within } from "./rules.ts";
import type { PostgresInput } from "./schema.ts";
import type { PostgresServer } from "./settings.ts";
import { type Draft, isSection } from "./shapes.ts";
import type { Variables } from "./variables.ts";

/** What describes a server that is there. */
const EXISTING = ["host", "port", "user", "sslmode", "sslrootcert"];
/** What only the operator can do. */
const OPERATED = ["instances", "operator_namespace", "monitoring"];

/** The Postgres server; undefined when any of it is wrong. */
export function toPostgres(
  { place, whole: input }: Draft<PostgresInput>,
  variables: Variables,
): PostgresServer | undefined {
  if (input === undefined) return undefined;
  const { install } = input;
  const password = variables.secret(input.password, within(place, "password"));
  if (install === undefined) {
    return {
      host: variables.plain(input.host ?? "", within(place, "host")) ?? "",
      port: variables.port(input.port, within(place, "port")) ?? 0,
      user: variables.plain(input.user, within(place, "user")) ?? "",
      password,
      sslmode: input.sslmode,
      sslrootcert:
        input.sslrootcert === undefined
          ? undefined
          : variables.rootCertificates(input.sslrootcert, within(place, "sslrootcert")),
      install,
    };
  }
  const host = install.host ?? (install.service === "LoadBalancer" ? "localhost" : undefined);
  return {
    host: host === undefined ? undefined : variables.plain(host, within(place, "install", "host")),
    port: variables.port(install.port, within(place, "install", "port")) ?? 0,
    user: "postgres",
    password,
    // The image has no certificate; the operator makes one, which nobody else can vouch for.
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

/** What stands under `install`, and what cannot stand beside it. */
export function postgresRules({ postgres, identityProvider, dataApi }: Drafts): Problem[] {
  if (postgres === undefined || !isSection(postgres.raw)) return [];
  const { place, fields } = postgres;
  const installs = isWritten(postgres, "install");
  if (!installs) {
    const cure = "add the host of a server that is there, or install one: install: { kind: statefulset }";
    const missing = isWritten(postgres, "host") ? [] : [problem(within(place, "host"), "missing", cure)];
    return [...missing, ...encryptionRules(postgres)];
  }
  const found = EXISTING.filter((key) => isWritten(postgres, key)).map((key) => {
    const cure =
      key === "host" || key === "port"
        ? `remove it, or install; where the deploying machine reaches an installed one stands in install.${key}`
        : "remove it, or install";
    return problem(within(place, key), "describes a server that is there, and install deploys one", cure);
  });
  const { install } = fields;
  if (install === undefined) return found;
  if (install.kind === "statefulset") {
    for (const key of OPERATED.filter((name) => install[name as keyof typeof install] !== undefined)) {
      const cure = "remove it, or write kind: cloudnativepg";
      found.push(problem(within(place, "install", key), "a statefulset is one server without an operator", cure));
    }
  }
  const others = {
    identity_provider: identityProvider?.fields.install === true ? identityProvider.fields.namespace : undefined,
    data_api: dataApi?.fields.namespace,
  };
  for (const [section, namespace] of Object.entries(others)) {
    if (namespace !== install.namespace) continue;
    const fault = `namespace "${namespace}" is already that of ${section}`;
    found.push(problem(within(place, "install", "namespace"), fault, "give the server its own"));
  }
  return found;
}

/**
 * What verifies the server's certificate and what it is verified against go together. `sslrootcert=system` (libpq 16) is no substitute: the
 * image of PostgREST contains no root certificates (its nix/tools/docker/default.nix).
 */
function encryptionRules(postgres: Draft<PostgresInput>): Problem[] {
  const { sslmode } = postgres.fields;
  const place = within(postgres.place, "sslrootcert");
  const verifies = sslmode === "verify-ca" || sslmode === "verify-full";
  if (sslmode === undefined || verifies === isWritten(postgres, "sslrootcert")) return [];
  if (!verifies) {
    const fault = `sslmode "${sslmode}" does not verify the server's certificate`;
    return [problem(place, fault, "write sslmode: verify-full, or remove sslrootcert")];
  }
  const cure = "add the root certificate of the server's CA as PEM text, for a public CA too";
  return [problem(place, `missing, and sslmode "${sslmode}" verifies the server's certificate`, cure)];
}

/** Where the read replicas stay unused. */
export function postgresWarnings({ postgres, dataApi }: Drafts): string[] {
  const version = dataApi?.fields.version;
  const install = postgres?.fields.install;
  if (version === undefined || install?.kind !== "cloudnativepg" || install.instances === 1) return [];
  if (listensOnPrimary(version)) return [];
  return [
    `data_api.version: PostgREST ${version} listens for changes of the schema where it reads, and a replica tells of none: ` +
      "it reads from the primary; write v12.2.0 or later to read from the replicas",
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

/** Whether somebody wrote the key; a default does not count. */
function isWritten({ raw }: Draft<unknown>, key: string): boolean {
  return isSection(raw) && key in raw;
}
