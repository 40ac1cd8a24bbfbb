/** The identity provider: an authentik that the stack deploys, or an existing one. */
import { z } from "zod";
import type { Draft } from "../../schema/draft.ts";
import {
  databaseProtection,
  group,
  identifier,
  label,
  plain,
  portNumber,
  positiveInteger,
  secret,
  sessionLength,
  text,
  version,
} from "../../schema/fields.ts";
import type { Resolved } from "../../schema/resolve.ts";
import type { Section } from "../section.ts";

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
  username: text(/^[\w.@+-]{1,150}$/, "a username", "use at most 150 letters, digits and . @ + - _").describe(
    "Username for the sign-in.",
  ),
  name: text(/^\S(.*\S)?$/, "a name without white space at its ends", "remove the white space").describe(
    "Display name.",
  ),
  email: plain("email").describe("Email address of the user."),
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
  admin_email: plain("email")
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
    .default(50)
    .describe(
      "Maximum number of hosts that one outpost serves; more are distributed over several outposts. The CPU time of a sign-out grows with the square of the number of hosts (docs/authentik.md).",
    ),
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
  A warning reports a default that users of other domains may not reach: localhost before any other one, or mesh before a public one.
- Use https for \`url\` and \`api_url\`. With http there is a warning, unless the host is localhost, a private address, a Service (\`NAME\`, \`NAME.NAMESPACE.svc\`)
  or a node of a tailnet.
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
- Service accounts and sample users are refused in the groups \`authentik Admins\` and \`authentik Read-only\`, whose members change or read every object over the API. A deployment also refuses a group with superuser status in authentik (that of a parent group is not read).
`,
} satisfies Section;

export type IdentityProviderDraft = Draft<z.output<typeof schema>>;
export type IdentityProvider = Resolved<z.output<typeof schema>>;
/** A machine user, and the namespace of the Secret with its password. */
export type ServiceAccount = IdentityProvider["serviceAccounts"][number];
export type SampleUser = IdentityProvider["sampleUsers"][number];
