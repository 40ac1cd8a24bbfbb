/** Second pass, second half: rules across fields, entries and sections, each a plain function to a list of problems. */
import { isIP } from "node:net";
import { enabledKinds } from "./convert.ts";
import { PROTECTIONS } from "../protections/table.ts";
import type { ObservabilityInput } from "./observability.ts";
import { type Problem, suggestion } from "./problems.ts";
import type { DataApiInput, DomainInput, GatewayInput, IdentityProviderInput, PostgresInput } from "./schema.ts";
import type { ServiceInput } from "./service-schema.ts";
import { KNOWN_KINDS } from "./schema.ts";
import type { Domain } from "./settings.ts";
import { formatLocation, type Location, within } from "./location.ts";
import { type Draft, isLeftOut } from "./shapes.ts";
import type { VerificationInput } from "./verification.ts";

/** What the rules look at: drafts as written, and the domains as they come out. */
export interface Drafts {
  /** In the same order as `settings`. */
  readonly domains: readonly Draft<DomainInput>[];
  readonly settings: readonly Domain[];
  readonly services: readonly Draft<ServiceInput>[];
  readonly gateway: Draft<GatewayInput>;
  readonly identityProvider: Draft<IdentityProviderInput> | undefined;
  readonly postgres: Draft<PostgresInput> | undefined;
  readonly dataApi: Draft<DataApiInput> | undefined;
  readonly observability: Draft<ObservabilityInput> | undefined;
  readonly verification: Draft<VerificationInput> | undefined;
  readonly hasPostgres: boolean;
}

/** Base domains are there, are DNS names, and differ; a domain's own addresses are addresses. */
export function domainRules({ domains, settings }: Drafts): Problem[] {
  const owners = new Map<string, string>();
  return settings.flatMap(({ kind, enabled, baseDomain, protocol, targets }, index) => {
    const draft = domains[index];
    if (!enabled || draft === undefined) return [];
    const location = within(draft.location, "base_domain");
    const found = targets
      .filter((target) => isIP(target) === 0 && !isDnsName(target))
      .map(() =>
        problem(
          within(draft.location, "targets"),
          "contains a value that is neither an IP address nor a DNS name",
          "use one of them",
        ),
      );
    if (draft.fields.tls !== undefined && protocol === "http") {
      found.push(
        problem(within(draft.location, "tls"), 'requires protocol "https"', "remove tls, or set protocol: https"),
      );
    }
    const owner = owners.get(baseDomain);
    if (baseDomain === "") {
      if (KNOWN_KINDS.includes(kind) && isLeftOut(draft, "base_domain")) {
        found.push(problem(location, `missing, and domain "${kind}" is enabled`, "add it, or set enabled: false"));
      }
    } else if (!isDnsName(baseDomain)) {
      const written = JSON.stringify(draft.fields.base_domain);
      found.push(problem(location, `${written} is not a DNS name in lower case`, "write it like example.org"));
    } else if (owner !== undefined) {
      found.push(
        problem(
          location,
          `"${baseDomain}" is already the base domain of "${owner}"`,
          "give each enabled domain its own",
        ),
      );
    } else {
      owners.set(baseDomain, kind);
    }
    return found;
  });
}

/** Every kind that is named exists. */
export function kindRules({ settings, services, dataApi }: Drafts): Problem[] {
  const kinds = settings.map(({ kind }) => kind);
  const known = new Set([...kinds, ...KNOWN_KINDS]);
  return [...services, ...(dataApi ? [dataApi] : [])].flatMap(({ location, fields: { domains } }) =>
    (domains === "auto" ? [] : (domains ?? [])).flatMap((kind, index) => {
      if (known.has(kind)) return [];
      const meant = suggestion(kind, [...known]);
      const hint =
        meant === undefined
          ? `add it to the domains section, or use one of ${kinds.join(", ")}`
          : `did you mean "${meant}"?`;
      return [problem(within(location, "domains", index), `domain "${kind}" does not exist`, hint)];
    }),
  );
}

/** Names stand once; so do applications in the identity provider, also under the slugs that come of them. */
export function nameRules({ settings, services }: Drafts): Problem[] {
  const names = new Map<string, Location>();
  const slugs = new Map<string, string>();
  return services.flatMap(({ location, fields }) => {
    const found: Problem[] = [];
    const { name } = fields;
    const first = name === undefined ? undefined : names.get(name);
    if (first !== undefined)
      found.push(problem(location, `name is already used by ${first.path}`, "give each service its own name"));
    else if (name !== undefined) names.set(name, location);
    if (!("application_slug" in fields) || fields.application_slug === undefined) return found;
    const slug = fields.application_slug;
    const kinds = enabledKinds(fields.domains ?? [], settings);
    // The same slugs as infra/plan gives out; `*` keeps what was written apart from them.
    const claims = [
      `*${slug}`,
      ...(PROTECTIONS[fields.type ?? ""]?.client ? [slug] : []),
      ...kinds.flatMap((kind) => [`${slug}-${kind}`, ...(kind === "localhost" ? [`whoami-${slug}-${kind}`] : [])]),
    ];
    const owner = claims.map((claim) => slugs.get(claim)).find((other) => other !== undefined);
    if (owner !== undefined) {
      const where = within(location, "application_slug");
      found.push(
        problem(where, `application "${slug}" is already used by "${owner}"`, "give each application its own slug"),
      );
    }
    for (const claim of claims) if (!slugs.has(claim)) slugs.set(claim, name ?? location.path);
    return found;
  });
}

/** What the identity provider needs to be installed, or else to be found. */
export function identityProviderRules({ settings, identityProvider, hasPostgres }: Drafts): Problem[] {
  if (identityProvider === undefined) return [];
  const { location, fields } = identityProvider;
  const found: Problem[] = [];
  if (fields.install === true) {
    for (const key of ["admin_password", "secret_key", "database"] as const) {
      if (!isLeftOut(identityProvider, key)) continue;
      found.push(
        problem(within(location, key), "missing, but install: true requires it", "add it, or set install: false"),
      );
    }
    if (!hasPostgres) {
      found.push(problem(within(location, "install"), "requires gatehouse:postgres", "add it, or set install: false"));
    }
  } else if (fields.install === false && isLeftOut(identityProvider, "url")) {
    const hint = "add the address of the identity provider to use";
    found.push(problem(within(location, "url"), "missing, but install: false requires it", hint));
  }
  if (fields.install === true && !isLeftOut(identityProvider, "service")) {
    const hint = "remove it, or set install: false";
    found.push(problem(within(location, "service"), "names an existing Service, but install is true", hint));
  }
  const signIn = settings.find(({ kind, enabled }) => enabled && kind === (fields.domain ?? kind));
  if (fields.install === true && signIn?.tls?.ends === "default" && isLeftOut(identityProvider, "api_url")) {
    const message = `missing, but domain "${signIn.kind}" uses Traefik's default certificate, which the Terraform provider does not trust`;
    const hint = `set tls of domain "${signIn.kind}" to a resolver, a secret or upstream, or set api_url to an address of the API without that certificate`;
    found.push(problem(within(location, "api_url"), message, hint));
  }
  if (fields.domain !== undefined && !settings.some(({ kind, enabled }) => enabled && kind === fields.domain)) {
    const hint = "set an enabled domain, or remove it";
    found.push(problem(within(location, "domain"), `domain "${fields.domain}" is not enabled`, hint));
  }
  const users = (fields.sample_users ?? []).map(({ username }) => username);
  for (const name of repeated([...users, ...(fields.service_accounts ?? []).map((account) => account.name)])) {
    found.push(problem(location, `user "${name}" is defined twice`, "give each user and service account its own name"));
  }
  const others = settings.filter(({ kind, enabled }) => enabled && kind !== "localhost").map(({ kind }) => kind);
  if ((fields.sample_users?.length ?? 0) > 0 && others.length > 0) {
    const message = `requires that only localhost is enabled, but domain "${others.join('", "')}" is enabled, too`;
    found.push(problem(within(location, "sample_users"), message, "remove them, or disable the other domains"));
  }
  return found;
}

/** The data API has a database server and a database of its own; what is open and what is private differ, and so do the roles. */
export function dataApiRules({ dataApi, identityProvider, hasPostgres }: Drafts): Problem[] {
  if (dataApi === undefined) return [];
  const { location, fields } = dataApi;
  const found: Problem[] = [];
  if (!hasPostgres) found.push(problem(location, "requires gatehouse:postgres", "add it"));
  const other = identityProvider?.fields.install === true ? identityProvider.fields.database : undefined;
  if (other !== undefined && fields.database === other.name) {
    const message = `database "${other.name}" is already used by the identity provider`;
    found.push(problem(within(location, "database"), message, "give it another name"));
  }
  if (other !== undefined && Object.values(fields.roles ?? {}).includes(other.user)) {
    const message = `role "${other.user}" is already used by the identity provider`;
    found.push(problem(within(location, "roles"), message, "give each role its own name"));
  }
  const exposed = fields.schemas?.exposed ?? [];
  const all = [...exposed, ...(fields.schemas?.private ?? [])];
  for (const schema of repeated(all)) {
    const both = exposed.includes(schema) && fields.schemas?.private.includes(schema) === true;
    const message = both ? `schema "${schema}" is both exposed and private` : `schema "${schema}" is listed twice`;
    found.push(
      problem(within(location, "schemas"), message, both ? "remove it from one of the two lists" : "list it once"),
    );
  }
  for (const [schema, { since, sunset }] of Object.entries(fields.schemas?.deprecated ?? {})) {
    const where = within(location, "schemas", "deprecated", schema);
    if (!exposed.includes(schema))
      found.push(problem(where, "is not an exposed schema", "use the name of an exposed schema, or remove it"));
    if (sunset <= since) found.push(problem(within(where, "sunset"), "is not after since", "set a later day"));
  }
  if ((fields.max_replicas ?? 0) < (fields.replicas ?? 0)) {
    const message = `${fields.max_replicas} is fewer than replicas`;
    found.push(problem(within(location, "max_replicas"), message, "set it to replicas or more"));
  }
  for (const role of repeated(Object.values(fields.roles ?? {}))) {
    found.push(problem(within(location, "roles"), `role "${role}" is used twice`, "give each role its own name"));
  }
  return found;
}

/** What is skipped: kinds that are named and not enabled, services that are left with none. */
export function skipped({ settings, services, dataApi }: Drafts): string[] {
  const enabled = new Set(settings.filter((domain) => domain.enabled).map(({ kind }) => kind));
  return [...services, ...(dataApi ? [dataApi] : [])].flatMap(({ location, fields: { domains } }) => {
    if (domains === undefined) return [];
    const off = domains === "auto" ? [] : domains.filter((kind) => !enabled.has(kind));
    const warnings = off.map((kind) => `${formatLocation(location)}: domain "${kind}" is not enabled; skipped there`);
    const left = domains === "auto" ? enabled.size : domains.length - off.length;
    return left > 0
      ? warnings
      : [...warnings, `${formatLocation(location)}: no enabled domain is left; exposed nowhere`];
  });
}

/** A location and what is wrong there. */
export function problem(location: Location, message: string, hint: string): Problem {
  return { ...location, message, hint };
}

function repeated(names: readonly string[]): Set<string> {
  return new Set(names.filter((name, index) => names.indexOf(name) !== index));
}

/** Lower case, labels of at most 63, and a last label that no address has (RFC 1123, 2.1). */
function isDnsName(name: string): boolean {
  const labels = name.split(".");
  return (
    name.length <= 253 &&
    labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? "")
  );
}
