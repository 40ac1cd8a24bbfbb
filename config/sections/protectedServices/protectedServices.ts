/** Services that the gateway protects. The fields of each type are in protections/. */
import { z } from "zod";
import { dnsLabel } from "../../../infra/plan/dnsLabel.ts";
import { withUsedSlugs } from "../../../infra/plan/slugs.ts";
import { traefikName } from "../../../infra/plan/traefikName.ts";
import type { EntrySettings } from "../../../protections/entry.ts";
import { clientSecretRules, oauthWarnings } from "../../../protections/oauthClient.ts";
import { entrySchemas, PROTECTIONS, type Service, type ServiceInput } from "../../../protections/table.ts";
import type { WrittenService } from "./backend.ts";
import { enabledKinds } from "../domains/domainKinds.ts";
import { checkEntry, type Draft, nameOf } from "../../schema/draft.ts";
import { join, type Location, within } from "../../errors/location.ts";
import { type Problem, problem } from "../../errors/problems.ts";
import { resolve } from "../../schema/resolve.ts";
import type { Section } from "../section.ts";
import type { Variables } from "../../variables/variables.ts";
import type { Domain } from "../domains/domains.ts";

export const protectedServices = {
  /** Computed for each use, because the table can change. */
  get schema() {
    const [first = z.object(), ...others] = Object.values(entrySchemas());
    return z.array(z.discriminatedUnion("type", [first, ...others]));
  },
  description: "Services that the gateway protects: one entry per service.",
  required: true,
  example: `
gatehouse:protected_services:
  - name: reports
    type: proxy
    description: Monthly reports
    domains: auto
    application_slug: reports
    service: { name: reports-web, namespace: reporting, port: 8000 }
    groups: [staff]
    public_paths: [/healthz]
    session: hours=8
  - name: grafana
    type: oauth2
    description: Dashboards
    domains: [localhost, mesh]
    application_slug: grafana
    oauth_config: { client_id: grafana, client_secret: "\${GRAFANA_CLIENT_SECRET}", redirect_uri: /login/generic_oauth }
    service: { namespace: monitoring, port: 3000 }
  - name: legacy
    type: basic
    description: A tool without users
    domains: [localhost]
    basic_auth: { username: ops, password: "\${LEGACY_PASSWORD}" }
`,
  text: `
- \`domains: auto\` selects every enabled domain kind.
- \`redirect_uri\` is a path that starts with \`/\`, not a URL: Gatehouse registers it for each host of the service, with a strict match.
- The Secret \`<name>-oauth2\` in the namespace of the service contains what an OpenID Connect client needs ([applications](applications.md#openid-connect-type-oauth2)).
- \`groups\` are the only restriction at the gateway. Rules for single paths belong to the application, which reads \`X-idp-groups\`.
- Services with the same \`groups\`, \`session\` and scheme share an outpost ([limits](authentik.md#limits)).
- Two stacks of one cluster need different namespaces for their services: each creates its middlewares in these namespaces. Only one of the
  stacks can enable \`localhost\`.
- A \`service\` in a namespace that the stack creates (for authentik, Postgres, the data API or the verification) is refused: the stack deletes the namespace with
  that section. The same applies to \`test_environments.service\`, and to service accounts, except in \`verification.namespace\`.
- The names of services, their slugs and all hosts of the stack are unique. None of these hosts is that of an existing \`identity_provider.url\`. Names that start with \`gatehouse-\` and slugs that start with \`gatehouse\` are reserved.
- Use a password with 32 characters or more for \`basic_auth\` (\`openssl rand -hex 16\`); it is hashed at a lower cost
  ([basic auth](limits.md#basic-auth)).
`,
} satisfies Section;

type ServiceDraft = Draft<ServiceInput>;

/** Checks each entry against the schema of its type. */
export function checkServices(section: unknown = [], problems: Problem[]): ServiceDraft[] {
  if (!Array.isArray(section)) {
    problems.push({ path: "protected_services", message: "expected a list", hint: "begin each entry with a dash" });
    return [];
  }
  const schemas = entrySchemas();
  return (section as unknown[]).map((raw, index) =>
    checkEntry(raw, { path: join("protected_services", index), entry: nameOf(raw) }, problems, schemas),
  ) as ServiceDraft[];
}

/** Returns the settings of an entry of `protected_services`. @param session default length of a session */
export function toService(
  { location, value: input }: ServiceDraft,
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
type ServiceFields = Partial<EntrySettings> & { readonly service: WrittenService };

/** Client ids of the providers that sign `X-idp-jwt` (`identitySlug` in infra/plan/objectNames.ts). */
const SIGNER = /^gatehouse-identity(-|$)/;

/** Checks the OAuth 2.0 client of each service that is one, and that client ids, as far as known, are used once: authentik accepts no second one. */
export function clientRules({ services }: Pick<Drafts, "services">, variables: Variables): Problem[] {
  const owners = new Map<string, string>();
  return services.flatMap(({ location, value }) => {
    if (value === undefined || !("oauth_config" in value)) return [];
    const found = clientSecretRules(location, value.oauth_config);
    const id = variables.inlined(value.oauth_config.client_id);
    const where = within(location, "oauth_config", "client_id");
    const owner = owners.get(id);
    if (owner !== undefined) found.push(problem(where, `is already that of ${owner}`, "give each client its own id"));
    if (SIGNER.test(id)) {
      const message = "begins with gatehouse-identity, as those of the providers that sign X-idp-jwt";
      found.push(problem(where, message, "use another id"));
    }
    owners.set(id, owner ?? location.path);
    return found;
  });
}

/** Warns of OAuth 2.0 clients as {@link oauthWarnings} does. */
export function clientWarnings({ services, identityProvider }: Pick<Drafts, "services"> & Installed): string[] {
  return services.flatMap(({ location, value }) =>
    value !== undefined && "oauth_config" in value
      ? oauthWarnings(location, value.oauth_config, identityProvider?.fields.install === true)
      : [],
  );
}

interface Installed {
  readonly identityProvider: Draft<{ readonly install: boolean }> | undefined;
}

interface Drafts {
  readonly settings: readonly Domain[];
  readonly services: readonly ServiceDraft[];
}

/** Checks that names are used once, and so are applications of the identity provider, also by the slugs that are derived from them. */
export function nameRules(drafts: Drafts): Problem[] {
  return [...serviceNameRules(drafts), ...slugRules(drafts)];
}

function slugRules({ settings, services }: Drafts): Problem[] {
  const slugged = services.flatMap(({ location, fields }) => {
    if (!("application_slug" in fields) || fields.application_slug === undefined) return [];
    const { name: service = location.path, application_slug: applicationSlug, type = "" } = fields;
    const kinds = enabledKinds(fields.domains ?? [], settings);
    const isClient = PROTECTIONS[type]?.client !== undefined;
    return [{ service, applicationSlug, kinds, isClient, where: within(location, "application_slug") }];
  });
  return withUsedSlugs(slugged).map(({ where, applicationSlug, owner }) =>
    problem(
      where,
      `application "${applicationSlug}" is already used by "${owner}"`,
      "give each application its own slug",
    ),
  );
}

function serviceNameRules({ services }: Pick<Drafts, "services">): Problem[] {
  const names = new Map<string, Location>();
  const joined = new Map<string, string>();
  return services.flatMap(({ location, fields }) => {
    const found: Problem[] = [];
    const { name } = fields;
    const first = name === undefined ? undefined : names.get(name);
    if (first !== undefined)
      found.push(problem(location, `name is already used by ${first.path}`, "give each service its own name"));
    else if (name !== undefined) names.set(name, location);
    const namespace = fields.service?.namespace;
    if (fields.type === "basic" && name !== undefined && namespace !== undefined) {
      // Traefik joins them to the name of the middleware, and one of two with the same name protects both hosts.
      const key = traefikName(namespace, dnsLabel(name, "basic-auth"));
      const other = joined.get(key);
      if (other !== undefined && first === undefined) {
        const message = `namespace "${namespace}" and name "${name}" are those of "${other}" for Traefik, which joins them with one hyphen between words`;
        found.push(problem(location, message, "rename one of the two"));
      }
      joined.set(key, name);
    }
    return found;
  });
}
