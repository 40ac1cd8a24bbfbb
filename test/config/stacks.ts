import { parseStack, type RawStack } from "../../config/load.ts";
import { isSection } from "../../config/errors/location.ts";
import { ConfigError } from "../../config/errors/problems.ts";

/** A shell in which every variable of {@link sections} is set, and one that is not secret. */
export const shell = {
  TOKEN: "token-in-the-shell",
  ADMIN: "admin-in-the-shell",
  KEY: "key-in-the-shell",
  DB: "db-in-the-shell",
  POSTGRES: "postgres-in-the-shell",
  AUTHENTICATOR: "authenticator-in-the-shell",
  OWNER: "owner-in-the-shell",
  SECRET: "secret-in-the-shell",
  CLIENT: "client-in-the-shell",
};

/** A valid configuration: two domains, one service of each type, an installed identity provider and a data API. */
export const sections = {
  domains: {
    localhost: {},
    mesh: { enabled: true, base_domain: "mesh.example.org" },
    external: { enabled: false, base_domain: "${EXTERNAL_DOMAIN}" },
  },
  protected_services: [proxy({}), oauth2({}), basic({})] as unknown,
  gateway: { version: "3.7.13" } as Record<string, unknown>,
  identity_provider: {
    token: "${TOKEN}",
    admin_password: "${ADMIN}",
    secret_key: "${KEY}",
    database: { password: "${DB}" },
    // Domains of the tests use Traefik's default certificate, which the Terraform provider does not trust.
    api_url: "http://127.0.0.1:9000",
  } as Record<string, unknown>,
  postgres: { host: "db.example.org", password: "${POSTGRES}" },
  data_api: { domains: "auto", authenticator_password: "${AUTHENTICATOR}", owner_password: "${OWNER}" } as Record<
    string,
    unknown
  >,
};

export function proxy(fields: Record<string, unknown>): Record<string, unknown> {
  return { name: "wiki", type: "proxy", description: "Handbook", domains: "auto", application_slug: "wiki", ...fields };
}

export function oauth2(fields: Record<string, unknown>, config: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name: "grafana",
    type: "oauth2",
    description: "Dashboards",
    domains: "auto",
    application_slug: "grafana",
    oauth_config: {
      client_id: fields["name"] ?? "grafana",
      client_secret: "${SECRET}",
      redirect_uri: "/login",
      ...config,
    },
    ...fields,
  };
}

export function basic(fields: Record<string, unknown>): Record<string, unknown> {
  return {
    name: "legacy",
    type: "basic",
    description: "Old tool",
    domains: ["localhost"],
    basic_auth: { username: "ops", password: "${SECRET}" },
    ...fields,
  };
}

/**
 * The stack `dev` with these sections; an undefined one is left out. With the domains above, users sign in on localhost, so that there is no warning.
 * `extra` are whole keys, such as `variables:NAME`.
 */
export function stack(changed: Record<string, unknown> = {}, extra: RawStack["config"] = {}): RawStack {
  const all: Record<string, unknown> = { ...sections, ...changed };
  const provider = all["identity_provider"];
  if (!("domains" in changed) && isSection(provider) && provider["install"] !== false) {
    all["identity_provider"] = { domain: "localhost", ...provider };
  }
  const own = Object.entries(all).filter(([, value]) => value !== undefined);
  const config = Object.fromEntries(own.map(([section, value]) => [`gatehouse:${section}`, { value }]));
  return { stack: "dev", config: { ...config, ...extra } };
}

/** The message of a stack file with these problems, one line each below a header that counts them. */
export function report(problems: readonly string[]): string {
  const header = `Pulumi.dev.yaml: ${problems.length} ${problems.length === 1 ? "problem" : "problems"}`;
  return [header, ...problems.map((line) => `  ${line}`)].join("\n");
}

/** What is wrong with a stack, one line each, without the header that counts them. */
export function problemsOf(raw: RawStack): string[] {
  const message = messageOf(() => parseStack(raw, shell));
  const [, ...problems] = message.split("\n  ");
  if (message !== report(problems))
    throw new Error(`the header does not count ${problems.length} problems: ${message}`);
  return problems;
}

/** The message of the ConfigError that `action` throws. */
export function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error("no ConfigError was thrown");
}
