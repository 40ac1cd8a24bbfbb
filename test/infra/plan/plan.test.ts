import { join } from "node:path";
import { readFileSync } from "node:fs";
import { format } from "oxfmt";
import { describe, expect, test } from "vitest";
import { parseStack, readStackFile } from "../../../config/load.ts";
import { dnsLabel } from "../../../infra/plan/dnsLabel.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import type { Plan } from "../../../infra/plan/types.ts";
import { basic, oauth2, proxy, sections, shell, stack } from "../../config/stacks.ts";
import { BOTH, planOf } from "./stacks.ts";

const root = join(import.meta.dirname, "..", "..", "..");

describe("the plan of the stack files", () => {
  test.each(["dev", "local", "production"])("equals test/golden for the stack %s", async (name) => {
    const raw = readStackFile(join(root, `Pulumi.${name}.yaml`), name);
    const plan = computePlan(parseStack(raw, {}, { secretsRequired: false }));
    const file = join(root, "test", "golden", `${name}.plan.json`);
    const { code } = await format(file, JSON.stringify(plan), { printWidth: 120 });
    await expect(code).toMatchFileSnapshot(file);
  });

  test("contains loopback addresses only for local", () => {
    const text = readFileSync(join(root, "test", "golden", "local.plan.json"), "utf8");
    expect(new Set(text.match(/https?:\/\/[^"]+/g)?.map((url) => new URL(url).hostname.split(".").at(-1)))).toEqual(
      new Set(["localhost"]),
    );
  });
});

describe("an exposure", () => {
  test("has the port of its domain in its URL, unless it is the protocol's own", () => {
    const urls = (port: number) =>
      computePlan(parseStack(stack({ domains: { localhost: { port } }, protected_services: [proxy({})] }), shell))
        .exposures.filter(({ service }) => service === "wiki")
        .map(({ url }) => url);
    expect(urls(8080)).toEqual(["http://wiki.localhost:8080"]);
    expect(urls(80)).toEqual(["http://wiki.localhost"]);
  });

  test("has its own application with forward auth, and shares that of the service without it", () => {
    const mail = oauth2({ name: "mail", application_slug: "mail", enforce: "gateway" });
    const plan = planOf(BOTH, proxy({}), oauth2({}), mail, basic({}));
    expect(
      plan.exposures
        .filter(({ role }) => role === "service")
        .map(({ id, authentication, application }) => [id, authentication, application]),
    ).toEqual([
      ["wiki@localhost", "forward-auth", { name: "wiki", slug: "wiki-localhost" }],
      ["wiki@mesh", "forward-auth", { name: "wiki", slug: "wiki-mesh" }],
      ["grafana@localhost", "none", undefined],
      ["grafana@mesh", "none", undefined],
      ["mail@localhost", "forward-auth", { name: "mail", slug: "mail-localhost" }],
      ["mail@mesh", "forward-auth", { name: "mail", slug: "mail-mesh" }],
      ["legacy@localhost", "basic-auth", undefined],
    ]);
  });

  test("exists for the open test host with localhost and test environments only", () => {
    const hosts = (plan: Plan) => plan.exposures.map(({ host }) => host);
    expect(hosts(planOf({ localhost: true }))).toContain("whoami-public.localhost");
    expect(hosts(planOf({ localhost: false, mesh: true }))).toEqual([
      "authentik.mesh.example.org",
      "data.mesh.example.org",
      "catalog.mesh.example.org",
    ]);
    const off = parseStack(stack({ test_environments: { enabled: false } }), shell);
    expect(hosts(computePlan(off))).not.toContain("whoami-public.localhost");
  });

  test("exists for the identity provider if the cluster has one", () => {
    const exposed = (provider: Record<string, unknown>) =>
      computePlan(parseStack(stack({ identity_provider: provider, protected_services: [] }), shell))
        .exposures.filter(({ role }) => role === "identity-provider")
        .map(({ host, backend }) => [host, `${backend.namespace}/${backend.name}:${backend.port}`]);
    const existing = { install: false, url: "https://sso.example.org", token: "${TOKEN}" };
    expect(exposed(existing)).toEqual([]);
    expect(exposed({ ...existing, host: "sso", namespace: "sso", service: { name: "server", port: 80 } })).toEqual([
      ["sso.localhost", "sso/server:80"],
      ["sso.mesh.example.org", "sso/server:80"],
    ]);
    expect(exposed(sections.identity_provider)).toEqual([
      ["authentik.localhost", "authentik/authentik-server:9000"],
      ["authentik.mesh.example.org", "authentik/authentik-server:9000"],
    ]);
  });
});

describe("a client", () => {
  test("exists once per oauth2 service, with a redirect URI per domain and a Secret in the namespace of the application", () => {
    const grafana = oauth2({ groups: ["staff"], service: { namespace: "monitoring" } }, { redirect_uri: "/cb" });
    expect(planOf(BOTH, proxy({}), grafana, basic({})).clients).toEqual([
      {
        service: "grafana",
        credentials: { clientId: "grafana", clientSecret: "${SECRET}" },
        application: { name: "grafana", slug: "grafana" },
        groups: ["staff"],
        redirectUris: ["http://grafana.localhost/cb", "https://grafana.mesh.example.org/cb"],
        launchUrl: "http://grafana.localhost",
        namespace: "monitoring",
        secretName: "grafana-oauth2",
        tokens: {
          scopes: [],
          clientType: "confidential",
          accessTokenValidity: "minutes=10",
          refreshTokenValidity: "hours=12",
          subjectMode: "hashed_user_id",
        },
      },
    ]);
  });

  test("exists with enforce: gateway as well", () => {
    expect(planOf(BOTH, oauth2({ enforce: "gateway" })).clients.map(({ application }) => application.slug)).toEqual([
      "grafana",
    ]);
  });

  test("does not exist for a service that is exposed nowhere", () => {
    expect(planOf({ localhost: true, mesh: false }, oauth2({ domains: ["mesh"] })).clients).toEqual([]);
  });
});

describe("groups", () => {
  const provider = {
    groups: ["platform"],
    service_accounts: [{ name: "reporter", groups: ["machines", "staff"] }],
  };
  const services = [proxy({ groups: ["staff", "admins"] }), oauth2({ groups: ["staff"] })];
  const groupsOf = (identity_provider: Record<string, unknown>) => {
    const plan = computePlan(parseStack(stack({ identity_provider, protected_services: services }), shell));
    return [plan.groups, plan.createdGroups];
  };

  test("are all that services and users name, and are created in an installed identity provider", () => {
    const all = ["admins", "machines", "platform", "staff"];
    expect(groupsOf({ ...sections.identity_provider, ...provider })).toEqual([all, all]);
  });

  test("are created in an existing identity provider only if its own list contains them", () => {
    const existing = { install: false, url: "https://sso.example.org", token: "${TOKEN}", ...provider };
    expect(groupsOf(existing)).toEqual([["admins", "machines", "platform", "staff"], ["platform"]]);
  });

  test("of sample users are created in an existing identity provider, too", () => {
    const users = [
      { username: "alice", name: "Alice", email: "a@example.org", password: "${SECRET}", groups: ["testers"] },
    ];
    const existing = { install: false, url: "https://sso.example.org", token: "${TOKEN}", sample_users: users };
    const raw = stack({
      domains: { localhost: {} },
      identity_provider: existing,
      protected_services: [proxy({ groups: ["staff"] })],
    });
    expect(computePlan(parseStack(raw, shell)).createdGroups).toEqual(["testers"]);
  });
});

test("adds the stack to the name of the provider that signs the identity headers if stacks share an identity provider", () => {
  const slug = (identity_provider: Record<string, unknown>) =>
    computePlan(parseStack({ ...stack({ identity_provider }), stack: "prod" }, shell)).identitySlug;
  expect(slug(sections.identity_provider)).toBe("gatehouse-identity");
  expect(slug({ install: false, url: "https://sso.example.org", token: "${TOKEN}" })).toBe("gatehouse-identity-prod");
});

test("names the stack as the owner of its records", () => {
  expect(planOf(BOTH).records.map(({ domain, owner }) => [domain, owner])).toEqual([
    ["localhost", "gatehouse-dev"],
    ["mesh", "gatehouse-dev"],
  ]);
});

test("shortens a name that is too long for a DNS label, and adds a hash of the whole", () => {
  expect(dnsLabel("a".repeat(63))).toBe("a".repeat(63));
  // RFC 1123: no label of a name ends with a hyphen, and no name with a dot.
  expect(dnsLabel(`${"a".repeat(53)}.b`, "c".repeat(10))).toMatch(/^a{53}-[0-9a-f]{8}$/);
  const [one, other] = [dnsLabel("gatehouse-tls", "a".repeat(63)), dnsLabel("gatehouse-tls", `${"a".repeat(62)}b`)];
  expect([one.length, other.length]).toEqual([63, 63]);
  expect(one).not.toBe(other);
  expect(dnsLabel(`${"a".repeat(53)}-${"b".repeat(20)}`)).toMatch(/^a{53}-[0-9a-f]{8}$/);
});

test("requests a repeated scope once: the Terraform provider would report a change in each run", () => {
  const [client] = planOf(BOTH, oauth2({}, { scopes: ["entitlements", "offline_access", "entitlements"] })).clients;
  expect(client?.tokens.scopes).toEqual(["entitlements", "offline_access"]);
});
