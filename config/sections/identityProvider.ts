/** The identity provider: an authentik that the stack deploys, or an existing one. */
import { z } from "zod";
import { type Draft, isLeftOut, isWritten } from "../draft.ts";
import {
  databaseProtection,
  group,
  identifier,
  label,
  nonEmptyText,
  plain,
  portNumber,
  positiveInteger,
  secret,
  sessionLength,
  text,
  version,
} from "../fields.ts";
import { INITIAL_DATABASES } from "../initialDatabases.ts";
import { within } from "../location.ts";
import { type Problem, problem, repeated } from "../problems.ts";
import type { Resolved } from "../resolve.ts";
import type { Section } from "../section.ts";
import type { Domain } from "./domains.ts";

const database = z.strictObject({
  name: identifier().default("authentik").describe("Name of the database."),
  user: identifier().default("authentik").describe("Role that owns it."),
  password: secret().describe("Password of the role, as a ${VARIABLE}, without backslashes."),
  protect: databaseProtection,
});
const serviceAccount = z.strictObject({
  name: label().describe("User name. The Secret with the password is named `<name>-account`."),
  namespace: label().default("default").describe("Namespace in which the machine runs; the Secret is created there."),
  groups: z
    .array(group())
    .default([])
    .describe("Groups of the account: it can sign in to services that allow one of them."),
});
const sampleUser = z.strictObject({
  username: text(/^[\w.@+-]+$/, "a username", "use letters, digits and . @ + - _").describe(
    "Username for the sign-in.",
  ),
  name: nonEmptyText().describe("Display name."),
  email: nonEmptyText().describe("Email address of the user."),
  password: secret().describe("Password, as a ${VARIABLE}."),
  groups: z.array(group()).default([]).describe("Groups of the user; the stack creates them."),
});

const schema = z.strictObject({
  host: label().default("authentik").describe("Host label: `<host>.<base_domain>` on every enabled domain."),
  domain: z
    .string()
    .optional()
    .describe("Domain kind on which browsers sign in and tokens are issued. Default: the first enabled one."),
  namespace: label().default("authentik").describe("Namespace of authentik in the cluster."),
  install: z
    .boolean()
    .default(true)
    .describe("Deploys authentik. With false, the stack uses the existing one at `url`."),
  version: version("authentik", "2026.5.7")
    .default("2026.5.7")
    .describe(
      "Version of the authentik server; it must be of the same release series (2026.5) as the Terraform provider.",
    ),
  url: plain("address").optional().describe("URL of an existing authentik; required with `install: false`."),
  service: z
    .strictObject({
      name: label().describe("Name of the Kubernetes Service."),
      port: portNumber().default(9000).describe("Port of the Kubernetes Service."),
    })
    .optional()
    .describe(
      "Kubernetes Service of an existing authentik in this cluster, in `namespace`; only with `install: false`.",
    ),
  api_url: plain("address")
    .optional()
    .describe("URL of the API from the deploying machine, if it differs from the URL for browsers."),
  token: secret().describe("API token, as a ${VARIABLE}. With `install: true` it is also the bootstrap token."),
  admin_email: plain()
    .default("admin@gatehouse.localhost")
    .describe("Email address of the administrator; with `install: true`."),
  admin_password: secret()
    .optional()
    .describe("Password of the administrator, as a ${VARIABLE}; required with `install: true`."),
  secret_key: secret()
    .optional()
    .describe("Secret key of authentik (AUTHENTIK_SECRET_KEY), as a ${VARIABLE}; required with `install: true`."),
  database: database
    .optional()
    .describe("Database of authentik on the server of `gatehouse:postgres`; required with `install: true`."),
  session: sessionLength()
    .default("hours=12")
    .describe("Length of a session of services without their own, and of a login; at least minutes=5."),
  groups: z
    .array(group())
    .default([])
    .describe(
      "Groups to create unless they exist. So are groups of `sample_users` and, with `install: true`, of services. A deployment deletes no group.",
    ),
  service_accounts: z
    .array(serviceAccount)
    .default([])
    .describe("Accounts for machines: each gets a Secret with a password, which it exchanges for tokens."),
  providers_per_outpost: positiveInteger(100)
    .default(100)
    .describe("Maximum number of hosts that one outpost serves; more are distributed over several outposts."),
  sample_users: z
    .array(sampleUser)
    .default([])
    .describe("Users for trying things out; only if localhost is the only enabled domain."),
});

export const identityProvider = {
  schema,
  description: "The identity provider (authentik).",
  required: true,
  example: `
gatehouse:identity_provider:
  host: authentik
  install: true
  token: "\${AUTHENTIK_TOKEN}"
  admin_password: "\${AUTHENTIK_ADMIN_PASSWORD}"
  secret_key: "\${AUTHENTIK_SECRET_KEY}"
  database: { password: "\${AUTHENTIK_DATABASE_PASSWORD}" }
  groups: [platform]
  service_accounts:
    - { name: reporter, namespace: reporting, groups: [staff] }
`,
  text: `
- Set \`domain\` before you enable a domain that is earlier in the list: the first enabled one is the default, and a change of the sign-in domain changes the issuer of all tokens.
- \`install: true\` requires \`admin_password\`, \`secret_key\`, \`database\` and \`gatehouse:postgres\`. At least 2 pods (server and worker) run in \`namespace\`.
- \`install: false\` requires \`url\`, and refuses \`domain\`, \`admin_email\`, \`admin_password\`, \`secret_key\` and \`database\`; without \`service\` also \`host\`. \`service\` names the Kubernetes Service of an authentik in the same cluster, so that the stack routes \`<host>.<base_domain>\` to it. The outposts run
  in the namespace \`gatehouse-outposts-<stack>\`. Groups of services must exist. \`token\` must be a superuser's, with few
  [exceptions](authentik.md#the-token-with-install-false).
- The server and the Terraform provider are of the same release series (2026.5). A version with a known vulnerability is refused with its advisory.
- \`install: true\` with \`tls\` left out on an https sign-in domain requires \`api_url\`, because the Terraform provider does not trust Traefik's default certificate.
- \`install: true\` with \`tls: { secret: NAME }\` on the sign-in domain: Traefik reads the Secret in \`namespace\`, which the first deployment creates. Set \`api_url\`, or add the Secret while that deployment waits for authentik.
- Forward auth uses standalone outposts that the stack deploys: one for each combination of allowed groups, session length and scheme ([authentik](authentik.md#outposts)).
- The sign-out path \`/outpost.goauthentik.io/sign_out\` is routed on every host with forward auth.
- Service accounts are described in [applications](applications.md#machines).
- Service accounts and sample users are refused in the groups \`authentik Admins\` and \`authentik Read-only\`, whose members change or read every object over the API.
`,
} satisfies Section;

export type IdentityProviderDraft = Draft<z.output<typeof schema>>;
export type IdentityProvider = Resolved<z.output<typeof schema>>;
/** A machine user, and the namespace of the Secret with its password. */
export type ServiceAccount = IdentityProvider["serviceAccounts"][number];
export type SampleUser = IdentityProvider["sampleUsers"][number];

interface Drafts {
  readonly identityProvider: IdentityProviderDraft | undefined;
  /** Every domain kind. */
  readonly settings: readonly Domain[];
  readonly hasPostgres: boolean;
  /** Role with which the stack deploys to the server. */
  readonly administrator: string | undefined;
}

/** Fields without effect on an existing identity provider. */
const INSTALLED = ["domain", "admin_email", "admin_password", "secret_key", "database"];
/** User that authentik creates by itself. */
const ADMINISTRATOR = "akadmin";
/**
 * Groups that authentik creates by itself. The members of the first are superusers; those of the second read every object over the API, the secrets
 * of all OAuth2 clients included (measured on 2026.5).
 */
const PRIVILEGED: Readonly<Record<string, { readonly what: string; readonly instead: string }>> = {
  "authentik Admins": { what: "authentik's own administrators' group", instead: "a group without superusers" },
  "authentik Read-only": {
    what: "authentik's own group whose members read every object, with the secrets of all clients",
    instead: "another group",
  },
};

/** Checks what `install` requires, the domain of the sign-in, and the users. */
export function identityProviderRules({ settings, identityProvider, hasPostgres, administrator }: Drafts): Problem[] {
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
  if (fields.install === false) {
    const withoutEffect = (keys: readonly string[], condition: string, hint: string) => {
      const written = keys.filter((key) => isWritten(identityProvider, key));
      found.push(...written.map((key) => problem(within(location, key), `has no effect ${condition}`, hint)));
    };
    withoutEffect(INSTALLED, "with install: false", "remove it, or set install: true");
    if (isLeftOut(identityProvider, "service"))
      withoutEffect(["host"], "with install: false and without service", "remove it, or add service");
  }
  if (fields.install === true && !isLeftOut(identityProvider, "service")) {
    const hint = "remove it, or set install: false";
    found.push(problem(within(location, "service"), "names an existing Service, but install is true", hint));
  }
  if (fields.install === true && !isLeftOut(identityProvider, "url")) {
    const hint = "remove it (host and domain give the address), or set install: false";
    found.push(problem(within(location, "url"), "names an existing identity provider, but install is true", hint));
  }
  const database = fields.install === true ? fields.database : undefined;
  if (database !== undefined && database.user === administrator) {
    const message = `role "${database.user}" is postgres.user, the administrator`;
    found.push(problem(within(location, "database", "user"), message, "give authentik a role of its own"));
  }
  if (database !== undefined && INITIAL_DATABASES.includes(database.name)) {
    const message = `database "${database.name}" exists on every server`;
    found.push(problem(within(location, "database", "name"), message, "give authentik a database of its own"));
  }
  const signIn = settings.find(({ kind, enabled }) => enabled && kind === (fields.domain ?? kind));
  if (fields.install === true && signIn?.tls?.termination === "default" && isLeftOut(identityProvider, "api_url")) {
    const message = `missing, but domain "${signIn.kind}" uses Traefik's default certificate, which the Terraform provider does not trust`;
    const hint = `set tls of domain "${signIn.kind}" to a resolver or upstream, or set api_url to an address of the API without that certificate`;
    found.push(problem(within(location, "api_url"), message, hint));
  }
  if (fields.domain !== undefined && !settings.some(({ kind, enabled }) => enabled && kind === fields.domain)) {
    const hint = "set an enabled domain, or remove it";
    found.push(problem(within(location, "domain"), `domain "${fields.domain}" is not enabled`, hint));
  }
  const users = [
    ...(fields.sample_users ?? []).map(({ username }) => username),
    ...(fields.service_accounts ?? []).map((account) => account.name),
  ];
  for (const name of repeated(users)) {
    found.push(problem(location, `user "${name}" is defined twice`, "give each user and service account its own name"));
  }
  if (users.includes(ADMINISTRATOR)) {
    const message = `user "${ADMINISTRATOR}" is authentik's own administrator`;
    found.push(problem(location, message, "give each user and service account another name"));
  }
  for (const key of ["service_accounts", "sample_users"] as const) {
    for (const [group, { what, instead }] of Object.entries(PRIVILEGED)) {
      if (!fields[key]?.some(({ groups }) => groups?.includes(group))) continue;
      const message = `group "${group}" is ${what}`;
      found.push(problem(within(location, key), message, `remove it, and use ${instead}`));
    }
  }
  const others = settings.filter(({ kind, enabled }) => enabled && kind !== "localhost").map(({ kind }) => kind);
  if ((fields.sample_users?.length ?? 0) > 0 && others.length > 0) {
    const message = `requires that only localhost is enabled, but domain "${others.join('", "')}" is enabled, too`;
    found.push(problem(within(location, "sample_users"), message, "remove them, or disable the other domains"));
  }
  return found;
}
