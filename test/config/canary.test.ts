import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseStack, type RawStack } from "../../config/load.ts";
import { ConfigError } from "../../config/errors/problems.ts";
import { computePlan } from "../../infra/plan/plan.ts";
import { basic, oauth2, proxy, sections, shell, stack } from "./stacks.ts";

const CANARY = "Canary/7f3a:9c";

/** Every text that comes out: the plan, or the error with all that hangs on it. */
function outcome(raw: RawStack, env: Record<string, string>): string {
  try {
    const settings = parseStack(raw, env);
    return JSON.stringify([settings, computePlan(settings)]);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [error.message, error.stack, JSON.stringify(error.problems)].join("\n");
  }
}

describe("a secret value is in no output", () => {
  const users = [{ username: "alice", name: "Alice", email: "a@example.org", password: CANARY }];
  const provider = sections.identity_provider;
  test.each<[string, Record<string, unknown>]>([
    ["token", { identity_provider: { ...provider, token: CANARY } }],
    ["admin_password", { identity_provider: { ...provider, admin_password: CANARY } }],
    ["secret_key", { identity_provider: { ...provider, secret_key: `\${KEY}${CANARY}` } }],
    ["a list where a secret belongs", { identity_provider: { ...provider, token: [CANARY] } }],
    ["the database's password", { identity_provider: { ...provider, database: { password: CANARY } } }],
    ["a database that is text", { identity_provider: { ...provider, database: CANARY } }],
    ["a sample user's password", { identity_provider: { ...provider, sample_users: users } }],
    [
      "credentials in an address",
      { identity_provider: { ...provider, url: `https://root:${CANARY}@sso.example.org` } },
    ],
    ["postgres", { postgres: { ...sections.postgres, password: CANARY } }],
    ["client_secret", { protected_services: [oauth2({}, { client_secret: CANARY })] }],
    ["a bad client_id", { protected_services: [oauth2({}, { client_id: [CANARY] })] }],
    ["basic_auth", { protected_services: [basic({ basic_auth: { username: "ops", password: CANARY } })] }],
    ["basic_auth that is text", { protected_services: [basic({ basic_auth: CANARY })] }],
    ["a misspelt key", { protected_services: [basic({ basic_auth: { username: "ops", pasword: CANARY } })] }],
    ["a misplaced key", { protected_services: [proxy({ client_secret: CANARY })] }],
    ["data_api", { data_api: { ...sections.data_api, authenticator_password: CANARY, owner_password: CANARY } }],
    ["a section that is text", { data_api: CANARY }],
    ["an entry that is text", { protected_services: [CANARY] }],
    ["an encrypted value", { postgres: { host: "db", password: { secure: CANARY } } }],
  ])("is not printed when it is written as %s", (_, changed) => {
    const text = outcome(stack(changed), shell);
    expect(text).toContain("Pulumi.dev.yaml: ");
    expect(text).not.toContain(CANARY);
  });

  test("is not printed when it is in a variable, wherever that variable is used", () => {
    const places = ["identity_provider.token", "domains.mesh.base_domain", "domains.mesh.port", "postgres.password"];
    fc.assert(
      fc.property(fc.subarray(places, { minLength: 1 }), fc.boolean(), fc.boolean(), (used, inStack, secret) => {
        const at = (place: string, otherwise: unknown) => (used.includes(place) ? "${CANARY}" : otherwise);
        const mesh = {
          enabled: true,
          base_domain: at("domains.mesh.base_domain", "example.org"),
          port: at("domains.mesh.port", 443),
        };
        const raw = stack(
          {
            domains: { mesh },
            identity_provider: { ...sections.identity_provider, token: at("identity_provider.token", "${TOKEN}") },
            postgres: { ...sections.postgres, password: at("postgres.password", "${POSTGRES}") },
          },
          inStack ? { "variables:CANARY": secret ? { secret: true } : { value: CANARY } } : {},
        );
        expect(outcome(raw, inStack ? shell : { ...shell, CANARY })).not.toContain(CANARY);
      }),
    );
  });
});
