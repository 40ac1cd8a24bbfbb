/** The stack file that `gatehouse init` writes: what a first deployment needs, with comments. Pure. */
import { stringify } from "yaml";
import { argument } from "../text.ts";
import { type Answers, type DomainAnswer, domainKinds } from "./answers.ts";

/** From the folder of the project. */
const SCHEMA = "node_modules/gatehouse/dist/config/stack.schema.json";

/** Returns the text of a new stack file: YAML with comments. */
export function stackFile(answers: Answers): string {
  const domains = domainKinds(answers.domains);
  const sections = [
    context(answers),
    domainSection(domains),
    SERVICES,
    GATEWAY,
    identityProvider(answers, domains),
    ...(answers.authentik === undefined || answers.dataApi ? [postgres(answers, domains)] : []),
    ...(answers.dataApi ? [DATA_API] : []),
    TEST_ENVIRONMENTS,
    ...(domains.some(isRemote) ? [IMAGES] : []),
  ];
  return `${header(answers)}config:\n${sections.join("")}`;
}

/** Returns the names of the template variables that the deployment needs, in the order of the file. */
export function variablesOf(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(/^(?! *#).*?"\$\{(\w+)\}"/gm), ([, name = ""]) => name))];
}

function header({ stack, context }: Answers): string {
  return `# yaml-language-server: $schema=${SCHEMA}
#
# What stack ${stack} exposes, and to which groups. All fields: node_modules/gatehouse/docs/configuration.md
#
#   npx gatehouse plan ${stack}       prints hosts, protections and groups; needs no cluster
#   npx gatehouse deploy ${argument(context)}     checks, previews, asks, deploys, verifies
#
# \${NAME} is a secret: set it once with \`pulumi config set --secret variables:NAME --stack ${stack}\`, or export it.
`;
}

function context({ context }: Answers): string {
  return `  # The only cluster that this stack changes: a context of your kubeconfig.
  kubernetes:context: ${scalar(context)}
`;
}

function domainSection(domains: readonly DomainAnswer[]): string {
  const local = domains.some(({ kind }) => kind === "localhost");
  return `
  # Every service below is on these domains, as <name>.<base_domain>.
  gatehouse:domains:
    localhost: { enabled: ${local} }
${domains.filter(isRemote).map(domainEntry).join("")}`;
}

function isRemote({ kind }: DomainAnswer): boolean {
  return kind !== "localhost";
}

function domainEntry({ kind, domain }: DomainAnswer): string {
  const custom =
    kind === "mesh" || kind === "external" ? "" : `      protocol: https\n      description: ${scalar(domain)}\n`;
  const base = `    ${kind}:\n      enabled: true\n      base_domain: ${scalar(domain)}\n${custom}`;
  if (kind === "mesh") return `${base}      tls: upstream # the proxy of each node terminates TLS\n`;
  return `${base}      tls: { resolver: letsencrypt } # the certificate resolver in Traefik's configuration
      # targets: [203.0.113.7] # addresses of the cluster, for records by ExternalDNS
`;
}

const SERVICES = `
  # One entry for each service. This one shows what an application receives; replace it with your own.
  gatehouse:protected_services:
    - name: whoami
      type: proxy # forward auth; oauth2: the application signs users in itself; basic: one username and password
      description: Shows what an application receives
      domains: auto # every enabled domain
      application_slug: whoami
      service: { name: whoami, namespace: default, port: 8080 } # the Kubernetes Service
      # groups: [staff] # only these; default: every user who can sign in
`;

const GATEWAY = `
  # The Traefik that the cluster runs. Its version is compared with known advisories.
  gatehouse:gateway: { version: 3.7.13 }
`;

function identityProvider({ authentik }: Answers, domains: readonly DomainAnswer[]): string {
  if (authentik !== undefined) {
    return `
  # Your authentik. The token is an API token of a superuser that does not expire; the groups of services must exist.
  gatehouse:identity_provider:
    install: false
    url: ${scalar(authentik)}
    token: "\${AUTHENTIK_TOKEN}"
`;
  }
  const signIn = domains.find(({ kind }) => kind === "external") ?? domains.find(isRemote);
  const domain = signIn ? `    domain: ${signIn.kind} # browsers of every domain sign in here\n` : "";
  return `
  # authentik, deployed by this stack. Sign in as akadmin with AUTHENTIK_ADMIN_PASSWORD, and create users there.
  gatehouse:identity_provider:
${domain}    token: "\${AUTHENTIK_TOKEN}"
    admin_password: "\${AUTHENTIK_ADMIN_PASSWORD}"
    secret_key: "\${AUTHENTIK_SECRET_KEY}"
    database: { password: "\${AUTHENTIK_DATABASE_PASSWORD}" }
`;
}

function postgres({ authentik, dataApi }: Answers, domains: readonly DomainAnswer[]): string {
  const users = [...(authentik === undefined ? ["authentik"] : []), ...(dataApi ? ["the data API"] : [])].join(" and ");
  return `
  # The server of ${users}: one instance. Instead of install, host: db.example.org is an existing server.
  gatehouse:postgres:
    password: "\${POSTGRES_PASSWORD}"
    install: { kind: statefulset }${domains.some(isRemote) ? REMOTE_SERVER : ""}
`;
}

/** The default address, localhost, is that of a load balancer on the same machine. */
const REMOTE_SERVER = ` # on another machine, add here host: ADDRESS (of its load balancer); on a node of the cluster, service: ClusterIP`;

const DATA_API = `
  # A public read-only REST API. Pipelines write as the role gatehouse_owner; private schemas stay private.
  gatehouse:data_api:
    domains: auto
    schemas: { exposed: [api_v1], private: [private_raw] } # the first exposed one is the default
    authenticator_password: "\${DATA_AUTHENTICATOR_PASSWORD}"
    owner_password: "\${DATA_OWNER_PASSWORD}"
`;

const TEST_ENVIRONMENTS = `
  # Deploys the echo service that whoami above is.
  gatehouse:test_environments: { install: true }
`;

const IMAGES = `
  # Images by tag. With the digest of each image here, remove required (node_modules/gatehouse/docs/policy.md).
  gatehouse:images: { required: false }
`;

/** Returns a YAML string, in quotes where a parser would read another type: the engine parses dates of YAML 1.1 (config/schema/fields.ts). */
function scalar(text: string): string {
  return stringify(text, { version: "1.1", lineWidth: 0 }).trimEnd();
}
