/** What docs/configuration.md contains next to the fields of each section: an example, and the rules that concern more than one field. */
import type { Section } from "./sections.ts";

interface SectionText {
  /** Entries of a stack file below `config`, as YAML. */
  readonly example: string;
  /** Markdown that follows the table. */
  readonly text: string;
}

export const INTRODUCTION = `
<!-- Generated from the schema by: node config/json-schema.ts -->

# Configuration

Each stack has one file, \`Pulumi.<stack>.yaml\`, with the sections below under \`config\`. Three files are complete, commented examples:
[Pulumi.dev.yaml](../Pulumi.dev.yaml) (a developer's cluster), [Pulumi.local.yaml](../Pulumi.local.yaml) (the local platform) and
[Pulumi.production.yaml](../Pulumi.production.yaml) (three domains, several nodes). \`npm run plan -- STACK\` validates a file and prints what it exposes. It
reports every problem at once, with its path and a hint.

Editors with a YAML language server complete and check a stack file if its first line is
\`# yaml-language-server: $schema=config/stack.schema.json\`.

## Template variables and secrets

\`\${NAME}\` is a template variable. Its value is \`variables:NAME\` of the stack, else the environment variable \`NAME\` of the deploying shell.

- Fields of type **secret** accept template variables only, so that no secret is in the file in plain text. Set each one under its own key:
  \`pulumi config set --secret variables:NAME --stack STACK\`.
- Secrets are encrypted in the state, and are in no plan, preview or log. The policy pack refuses a secret outside of a Secret
  ([policy pack](policy.md)).
- \`npm run plan\` and \`npm run diff\` need no value of a secret.
- A field that becomes a host, a port or an address must not be a secret variable.

## \`kubernetes:context\`

The context of the kubeconfig: the only cluster that the stack changes. \`./deploy CONTEXT\` selects the stack by this key.
`;

export const SECTION_TEXT: Readonly<Record<Section, SectionText>> = {
  domains: {
    example: `
gatehouse:domains:
  localhost: { enabled: true }
  mesh: { enabled: true, base_domain: tail1234.ts.net, tls: upstream }
  external:
    enabled: true
    base_domain: example.org
    targets: [203.0.113.7]
    tls: { resolver: letsencrypt }
  partner: { enabled: true, base_domain: partner.example.net, protocol: https, description: A custom kind }
`,
    text: `
- The name of a custom kind has at most 20 characters of a-z, 0-9 and \`-\`.
- Each enabled domain has its own base domain. A service that lists a domain which is not enabled is skipped there, with a warning.
- \`targets\` create one \`DNSEndpoint\` per domain kind, for ExternalDNS, with the label \`gatehouse.dev/owner: gatehouse-<stack>\`.
- \`tls\` requires \`protocol: https\`. If TLS is terminated at the gateway, HTTP is redirected to HTTPS. With \`upstream\` the routes listen on HTTP, and Traefik must
  trust the address of the proxy ([prerequisites](prerequisites.md#client-addresses-behind-a-proxy)).
- A private network without wildcard names (\`<tailnet>.ts.net\`) needs a node for each service. The base domain must be the tailnet itself, without \`targets\`.
  \`npm run plan\` lists the names.
`,
  },
  protected_services: {
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
- The names of services, their slugs and all hosts of the stack are unique. Names that start with \`gatehouse-\` and slugs that start with \`gatehouse\` are reserved.
- Use a password with 32 characters or more for \`basic_auth\` (\`openssl rand -hex 16\`); it is hashed at a lower cost
  ([basic auth](limits.md#basic-auth)).
`,
  },
  gateway: {
    example: `
gatehouse:gateway: { version: 3.7.13, namespace: kube-system, service: traefik }
`,
    text: `
Gatehouse does not install Traefik. It refuses versions with known vulnerabilities ([versions](versions.md)), and compares the running Traefik with these fields before a
deployment ([prerequisites](prerequisites.md)).
`,
  },
  identity_provider: {
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
- \`install: false\` requires \`url\`. \`service\` names the Kubernetes Service of an authentik in the same cluster, so that the stack routes \`<host>.<base_domain>\` to it. The outposts run
  in the namespace \`gatehouse-outposts-<stack>\`. Groups of services must exist. \`token\` must be a superuser's, with few
  [exceptions](authentik.md#the-token-with-install-false).
- The server and the Terraform provider are of the same release series (2026.5). A version with a known vulnerability is refused with its advisory.
- \`install: true\` with \`tls\` left out on an https sign-in domain requires \`api_url\`, because the Terraform provider does not trust Traefik's default certificate.
- Forward auth uses standalone outposts that the stack deploys: one for each combination of allowed groups, session length and scheme ([authentik](authentik.md#outposts)).
- The sign-out path \`/outpost.goauthentik.io/sign_out\` is routed on every host with forward auth.
- Service accounts are described in [applications](applications.md#machines).
`,
  },
  postgres: {
    example: `
gatehouse:postgres:
  host: db.example.org
  password: "\${POSTGRES_PASSWORD}"
  sslmode: require
`,
    text: `
Use either an existing server (\`host\`, \`port\`, \`user\`, \`sslmode\`, \`sslrootcert\`) or \`install\`, not fields of both; \`password\` belongs to both.
[Postgres](postgres.md) has the examples and the rules of each.
`,
  },
  data_api: {
    example: `
gatehouse:data_api:
  domains: auto
  authenticator_password: "\${DATA_AUTHENTICATOR_PASSWORD}"
  owner_password: "\${DATA_OWNER_PASSWORD}"
`,
    text: `
- The section requires \`gatehouse:postgres\`.
- [Limits](limits.md) describes what a client gets beyond each limit, with measurements.
- A schema is either exposed or private. The database and the roles differ from those of the identity provider.
- The database, pipelines and key columns are described in [opening a database](opening-a-database.md), deprecated schemas in [versioning](versioning.md); the differences between versions of PostgREST in [postgrest](postgrest.md).
`,
  },
  test_environments: {
    example: `
gatehouse:test_environments: { install: true }
`,
    text: `
The hosts exist on localhost only. \`whoami-<name>.localhost\` is the echo service under the authentication of the service \`<name>\`; \`whoami-public.localhost\` is open. See
[the development path](applications.md#try-it).
`,
  },
  images: {
    example: `
gatehouse:images:
  digests:
    traefik/whoami:v1.11.0: sha256:1111111111111111111111111111111111111111111111111111111111111111
`,
    text: `
An image with a digest runs as \`image:tag@digest\`. A new tag needs a new entry. See [images by digest](policy.md#images-by-digest).
`,
  },
  observability: {
    example: `
gatehouse:observability: { namespace: monitoring, labels: { release: prometheus } }
`,
    text: `
Without the section, no metrics are read and no alerts exist. See [metrics and logs](observability.md) and [alerts](operations/alerts.md).
`,
  },
  verification: {
    example: `
gatehouse:verification: { account: verifier, pushgateway: "http://pushgateway.monitoring:9091" }
`,
    text: `
Without the section there is no CronJob. \`namespace\` must not be that of another section. See [verification in the cluster](verify.md#in-the-cluster).
`,
  },
};
