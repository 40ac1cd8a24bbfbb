/** Entries of `protected_services` from hosts: the same service on several domains is one entry. */
import type { ZodType } from "zod";
import { PROTECTIONS } from "../../protections/table.ts";
import type { HostCandidate } from "./hosts.ts";
import type { Protection } from "./protections.ts";
import { proxySlug } from "../../infra/plan/slugs.ts";
import { splitHost } from "./domainKinds.ts";

/** An entry as in a stack file. */
type EntryFields = Readonly<Record<string, unknown>> & { readonly name: string; readonly type: string };

export interface ImportedEntry {
  readonly fields: EntryFields;
  readonly hosts: readonly HostCandidate[];
  /** How to fill the variables of the entry, by name. */
  readonly variables: ReadonlyMap<string, string>;
}

export interface PlacedHost {
  readonly candidate: HostCandidate;
  readonly kind: string;
}

/**
 * Returns entries, and why a host is not part of one.
 * @param slugs those of the applications in the identity provider, and the names of its providers, which are unique as well
 */
export function mergeHosts(placed: readonly PlacedHost[], slugs: ReadonlySet<string>) {
  const refused = new Map<HostCandidate, string>();
  const used = new Set(slugs);
  const entries = [...Map.groupBy(placed, ({ candidate }) => splitHost(candidate.host).label)].flatMap(
    ([name, hosts]) => {
      const [first, ...others] = hosts;
      if (first === undefined) return [];
      const same = others.filter(({ candidate }) => sharedBy(candidate) === sharedBy(first.candidate));
      for (const { candidate } of others) {
        if (same.some((one) => one.candidate === candidate)) continue;
        refused.set(candidate, `its name ${name} is that of ${first.candidate.host}, which is another service`);
      }
      return [toEntry(name, [first, ...same], used)];
    },
  );
  return { entries, refused };
}

/** Returns that the client of an entry lacks the redirect URIs which are on none of its hosts, e.g. that of a native application. */
export function omittedRedirects({ hosts }: ImportedEntry): string[] {
  const own = new Set(hosts.map(({ host }) => host));
  const uris = hosts.flatMap(({ protection }) => (protection.type === "oauth2" ? protection.redirectUris : []));
  const others = new Set(uris.filter((uri) => !own.has(URL.parse(uri)?.hostname ?? "")));
  return others.size === 0 ? [] : [`other redirect URIs (${[...others].join(", ")}) are not part of the new client`];
}

/** Returns what all hosts of an entry have in common, as text. */
function sharedBy({ backend, protection, publicPaths }: HostCandidate): string {
  return JSON.stringify([backend, publicPaths, protection.type, accessOf(protection)]);
}

function accessOf(protection: Protection): readonly unknown[] {
  switch (protection.type) {
    case "proxy":
      return [protection.groups, protection.session];
    case "oauth2":
      return [protection.application?.pk, protection.groups, protection.client];
    case "basic":
      return [protection.username, protection.secret];
  }
}

function toEntry(name: string, hosts: readonly [PlacedHost, ...PlacedHost[]], used: Set<string>): ImportedEntry {
  const [{ candidate }] = hosts;
  const { protection, backend, publicPaths } = candidate;
  const kinds = hosts.map(({ kind }) => kind);
  const { fields, variables } = ofType(name, protection, kinds, used);
  const service = {
    ...(backend.name === name ? {} : { name: backend.name }),
    namespace: backend.namespace,
    port: backend.port,
  };
  const description =
    protection.application?.meta_description || protection.application?.name || `Service ${backend.name}`;
  return {
    fields: {
      name,
      type: protection.type,
      description,
      domains: kinds,
      ...fields,
      service,
      ...(publicPaths.length > 0 ? { public_paths: publicPaths } : {}),
    },
    hosts: hosts.map((one) => one.candidate),
    variables,
  };
}

function ofType(name: string, protection: Protection, kinds: readonly string[], used: Set<string>) {
  const variables = new Map<string, string>();
  const variable = (suffix: string, hint: string): string => {
    const text = `${name
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]/g, "_")
      .replace(/^(?=\d)/, "_")}_${suffix}`;
    variables.set(text, hint);
    return `\${${text}}`;
  };
  if (protection.type === "basic") {
    const hint = `the password of "${protection.username}" as clients use it now; Secret ${protection.secret} contains its hash only`;
    const password = variable("PASSWORD", hint);
    return { fields: { basic_auth: { username: protection.username, password } }, variables };
  }
  const application_slug = unusedSlug(protection, name, kinds, used);
  const access = { application_slug, ...(protection.groups.length > 0 ? { groups: protection.groups } : {}) };
  if (protection.type === "proxy") return { fields: { ...access, session: protection.session }, variables };
  const old = `application "${protection.application?.slug ?? ""}"`;
  const oauth_config = {
    client_id: variable("CLIENT_ID", `a new client ID, e.g. ${name}; that of ${old} is taken until you delete it`),
    ...(protection.client?.client_type !== "public" && {
      client_secret: variable("CLIENT_SECRET", "a new secret: openssl rand -hex 32"),
    }),
    ...protection.client,
  };
  return { fields: { ...access, oauth_config }, variables };
}

/** Returns an unused slug for the application of an entry, which exists next to the old one. */
function unusedSlug(
  { type, application }: Protection,
  name: string,
  kinds: readonly string[],
  used: Set<string>,
): string {
  const own = [application?.slug ?? name, name];
  const numbered = own.flatMap((slug) => Array.from({ length: used.size + 1 }, (_, index) => `${slug}-${index + 2}`));
  const schema = PROTECTIONS[type]?.schema?.shape["application_slug"] as ZodType;
  // What the plan derives from it (infra/plan/slugs.ts); `*` marks slugs of entries, which are unique as well.
  const claims = (slug: string): string[] => [
    `*${slug}`,
    ...(type === "oauth2" ? [slug] : []),
    ...kinds.map((kind) => proxySlug(slug, kind)),
  ];
  const isUnused = (slug: string): boolean => claims(slug).every((claim) => !used.has(claim));
  const isValid = (slug: string): boolean => schema.safeParse(slug).success;
  const found = [...own, ...numbered].find((slug) => isValid(slug) && isUnused(slug)) ?? name;
  for (const claim of claims(found)) used.add(claim);
  return found;
}
