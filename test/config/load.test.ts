import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parseStack, readStackFile } from "../../config/load.ts";
import { SUPERUSER_FEATURES } from "../../config/sections/postgres/superuserFeatures.ts";
import { LIMITS } from "../helpers/limits.ts";
import { basic, messageOf, oauth2, proxy, sections, shell, stack, problemsOf } from "./stacks.ts";

const folder = mkdtempSync(join(tmpdir(), "gatehouse-config-"));
afterAll(() => rmSync(folder, { recursive: true }));

function write(text: string): string {
  const path = join(folder, "Pulumi.dev.yaml");
  writeFileSync(path, text);
  return path;
}

describe("readStackFile", () => {
  test("marks encrypted values as secret and keeps the others", () => {
    const path = write("encryptionsalt: v1:x\nconfig:\n  variables:A: { secure: v1:abc }\n  variables:B: 80\n");
    expect(readStackFile(path, "dev")).toEqual({
      stack: "dev",
      file: "Pulumi.dev.yaml",
      config: { "variables:A": { secret: true }, "variables:B": { value: 80 } },
    });
  });

  test("returns no settings for a file without config", () => {
    expect(readStackFile(write("encryptionsalt: v1:x\n"), "dev").config).toEqual({});
  });

  test("reports a missing file", () => {
    expect(messageOf(() => readStackFile(join(folder, "Pulumi.prod.yaml"), "prod"))).toBe(
      "Pulumi.prod.yaml: 1 problem\n" +
        "  Pulumi.prod.yaml: does not exist. Name a stack whose Pulumi.<stack>.yaml exists, or write one: npx gatehouse init.",
    );
  });

  test("reports the line of invalid YAML without its text", () => {
    const path = write('config:\n  variables:A: "hunter2\n  variables:A: hunter2\n');
    expect(messageOf(() => readStackFile(path, "dev"))).toBe(
      "Pulumi.dev.yaml: 1 problem\n  Pulumi.dev.yaml: is not YAML (MISSING_CHAR, line 4). Fix that line.",
    );
  });

  test("reports a key that is defined twice", () => {
    const path = write("config:\n  variables:A: hunter1\n  variables:A: hunter2\n");
    expect(messageOf(() => readStackFile(path, "dev"))).toBe(
      "Pulumi.dev.yaml: 1 problem\n  Pulumi.dev.yaml: is not YAML (DUPLICATE_KEY, line 3). Fix that line.",
    );
  });
});

describe("parseStack", () => {
  test("sets every default", () => {
    const settings = parseStack(stack(), shell);
    expect(settings.domains).toEqual([
      {
        kind: "localhost",
        enabled: true,
        baseDomain: "localhost",
        protocol: "http",
        port: undefined,
        description: "",
        targets: [],
        tls: undefined,
      },
      {
        kind: "mesh",
        enabled: true,
        baseDomain: "mesh.example.org",
        protocol: "https",
        port: undefined,
        description: "",
        targets: [],
        tls: { termination: "default" },
      },
      {
        kind: "external",
        enabled: false,
        baseDomain: "${EXTERNAL_DOMAIN}",
        protocol: "https",
        port: undefined,
        description: "",
        targets: [],
        tls: { termination: "default" },
      },
    ]);
    expect(settings.services).toEqual([
      {
        name: "wiki",
        type: "proxy",
        description: "Handbook",
        applicationSlug: "wiki",
        domains: ["localhost", "mesh"],
        backend: {
          name: "wiki",
          namespace: "default",
          port: 80,
        },
        groups: [],
        publicPaths: [],
        session: "hours=12",
      },
      {
        name: "grafana",
        type: "oauth2",
        description: "Dashboards",
        applicationSlug: "grafana",
        domains: ["localhost", "mesh"],
        backend: {
          name: "grafana",
          namespace: "default",
          port: 80,
        },
        groups: [],
        publicPaths: [],
        session: "hours=12",
        enforce: "application",
        oauthConfig: {
          clientId: {
            template: "grafana",
            variables: [],
          },
          clientSecret: { template: "${SECRET}", variables: ["SECRET"] },
          redirectUri: "/login",
          scopes: [],
          clientType: "confidential",
          subjectMode: "hashed_user_id",
          accessTokenValidity: "minutes=10",
        },
      },
      {
        name: "legacy",
        type: "basic",
        description: "Old tool",
        domains: ["localhost"],
        backend: {
          name: "legacy",
          namespace: "default",
          port: 80,
        },
        groups: [],
        publicPaths: [],
        session: "hours=12",
        basicAuth: {
          username: "ops",
          password: {
            template: "${SECRET}",
            variables: ["SECRET"],
          },
        },
      },
    ]);
    expect(settings.gateway).toEqual({
      version: "3.7.13",
      namespace: "kube-system",
      service: "traefik",
      podLabels: { "app.kubernetes.io/name": "traefik" },
      httpEntryPoint: "web",
      httpsEntryPoint: "websecure",
    });
    expect(settings.identityProvider).toEqual({
      host: "authentik",
      domain: "localhost",
      namespace: "authentik",
      install: true,
      version: "2026.5.7",
      url: undefined,
      service: undefined,
      apiUrl: "http://127.0.0.1:9000",
      adminEmail: "admin@gatehouse.localhost",
      token: {
        template: "${TOKEN}",
        variables: ["TOKEN"],
      },
      adminPassword: { template: "${ADMIN}", variables: ["ADMIN"] },
      secretKey: { template: "${KEY}", variables: ["KEY"] },
      database: {
        name: "authentik",
        user: "authentik",
        password: {
          template: "${DB}",
          variables: ["DB"],
        },
      },
      session: "hours=12",
      groups: [],
      serviceAccounts: [],
      sampleUsers: [],
      providersPerOutpost: 50,
    });
    expect(settings.testEnvironments).toEqual({
      enabled: true,
      install: false,
      backend: {
        name: "whoami",
        namespace: "default",
        port: 8080,
      },
    });
    expect(settings.dataApi).toEqual({
      host: "data",
      namespace: "gatehouse-data",
      domains: ["localhost", "mesh"],
      database: "gatehouse",
      existing: false,
      protect: undefined,
      writers: [],
      version: "v14.17",
      replicas: 2,
      maxReplicas: 4,
      catalog: {
        host: "catalog",
        basePath: "/",
        replicas: 2,
      },
      exposed: ["api_v1", "marts", "raw"],
      private: ["private_marts", "private_raw"],
      hidden: [],
      deprecated: [],
      roles: { anonymous: "gatehouse_anonymous", authenticator: "gatehouse_authenticator", owner: "gatehouse_owner" },
      authenticatorPassword: { template: "${AUTHENTICATOR}", variables: ["AUTHENTICATOR"] },
      ownerPassword: { template: "${OWNER}", variables: ["OWNER"] },
      limits: LIMITS,
    });
    expect(settings.warnings).toEqual([]);
  });

  test("warns of what is not enforced without a superuser", () => {
    const { warnings } = parseStack(stack({ postgres: { ...sections.postgres, superuser: false } }), shell);
    expect(warnings).toEqual(
      [...new Set(SUPERUSER_FEATURES.map(({ without }) => without))].map(
        (without) => `postgres.superuser: where the server reserves it for superusers, ${without}`,
      ),
    );
  });

  test("skips a kind that is not enabled, with a warning", () => {
    const services = [proxy({ domains: ["external", "localhost"] }), basic({ domains: ["external"] })];
    const settings = parseStack(stack({ protected_services: services }), shell);
    expect(settings.services.map(({ domains }) => domains)).toEqual([["localhost"], []]);
    expect(settings.warnings).toEqual([
      'protected_services[0] "wiki": domain "external" is not enabled; skipped there',
      'protected_services[1] "legacy": domain "external" is not enabled; skipped there',
      'protected_services[1] "legacy": no enabled domain is left; exposed nowhere',
    ]);
  });

  test("enables localhost by default, and ignores keys of other namespaces", () => {
    const settings = parseStack(
      stack({ domains: { localhost: {} } }, { "aws:region": { value: { anything: 1 } } }),
      shell,
    );
    expect(settings.domains.map(({ kind, enabled }) => [kind, enabled])).toEqual([["localhost", true]]);
  });

  test("requires three sections, since without one the next deployment removes what it had", () => {
    const without = { domains: undefined, protected_services: undefined, identity_provider: undefined };
    const misspelled = { "gatehose:protected_services": { value: [proxy({})] } };
    expect(problemsOf(stack({ ...without, data_api: undefined }, misspelled))).toEqual([
      "domains: missing. Add gatehouse:domains.",
      "protected_services: missing. Add gatehouse:protected_services.",
      "identity_provider: missing. Add gatehouse:identity_provider.",
    ]);
  });

  test("uses the session of the service, else that of the identity provider", () => {
    const services = [proxy({ session: "hours=1" }), oauth2({})];
    const provider = { ...sections.identity_provider, session: "days=1" };
    const settings = parseStack(stack({ protected_services: services, identity_provider: provider }), shell);
    expect(settings.services.map(({ session }) => session)).toEqual(["hours=1", "days=1"]);
  });
});
