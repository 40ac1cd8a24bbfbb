import { describe, expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { oauth2, problemsOf, proxy, sections, shell, stack } from "../stacks.ts";

const EXISTING = { install: false, url: "https://sso.example.org", token: "${TOKEN}" };
const INSTALLATION = { admin_password: "${ADMIN}", secret_key: "${KEY}", database: { password: "${DB}" } };
const provider = (fields: Record<string, unknown>) =>
  stack({ identity_provider: { ...sections.identity_provider, ...fields } });

describe("an existing identity provider", () => {
  test("requires url and token only", () => {
    const settings = parseStack(stack({ identity_provider: EXISTING }), shell);
    expect(settings.identityProvider).toMatchObject({
      install: false,
      url: "https://sso.example.org",
      service: undefined,
      adminPassword: undefined,
      secretKey: undefined,
      database: undefined,
    });
    expect(settings.warnings).toEqual([]);
  });

  test("accepts a Service of the cluster", () => {
    const found = (service: Record<string, unknown>) =>
      parseStack(stack({ identity_provider: { ...EXISTING, service } }), shell).identityProvider.service;
    expect(found({ name: "sso" })).toEqual({ name: "sso", port: 9000 });
    expect(found({ name: "sso", port: 8000 })).toEqual({ name: "sso", port: 8000 });
  });

  test("rejects fields of an installed one, and host without a Service", () => {
    const fields = { host: "login", domain: "mesh", admin_email: "a@example.org", ...INSTALLATION };
    const installed = ["domain", "admin_email", "admin_password", "secret_key", "database"].map(
      (key) => `identity_provider.${key}: has no effect with install: false. Remove it, or set install: true.`,
    );
    const host =
      "identity_provider.host: has no effect with install: false and without service. Remove it, or add service.";
    const service = { name: "sso" };
    expect(problemsOf(stack({ identity_provider: { ...EXISTING, ...fields } }))).toEqual([...installed, host]);
    expect(problemsOf(stack({ identity_provider: { ...EXISTING, ...fields, service } }))).toEqual(installed);
  });

  test("reports a field of an installed one without a value once", () => {
    expect(problemsOf(stack({ identity_provider: { ...EXISTING, database: null } }))).toEqual([
      "identity_provider.database: missing. Add it: Database of authentik on the server of `gatehouse:postgres`; required with `install: true`.",
    ]);
  });

  test("rejects service with install: true", () => {
    expect(problemsOf(provider({ service: { name: "sso" } }))).toEqual([
      "identity_provider.service: names an existing Service, but install is true. Remove it, or set install: false.",
    ]);
  });
});

test("warns of a scope that a new authentik does not have, and of users that are one for a client", () => {
  const client = oauth2({}, { scopes: ["groups", "offline_access"], subject_mode: "user_email" });
  const warnings = (fields: Record<string, unknown>) =>
    parseStack(stack({ protected_services: [client], ...fields }), shell).warnings;
  const email =
    'protected_services[0].oauth_config.subject_mode "grafana": users with the same email address, or without one, are one user for the application. Use user_uuid or hashed_user_id.';
  expect(warnings({})).toEqual([
    'protected_services[0].oauth_config.scopes "grafana": authentik has no scope "groups" at first, and a deployment fails until it has a mapping of it. Use profile, which has the claim groups.',
    email,
  ]);
  expect(warnings({ identity_provider: EXISTING })).toEqual([email]);
});

test.each([
  { domains: { localhost: { enabled: false }, mesh: { enabled: false, base_domain: "mesh.example.org" } } },
  { domains: {} },
])("an installed identity provider requires an enabled domain, an existing one does not: %j", ({ domains }) => {
  expect(problemsOf(stack({ domains }))).toEqual([
    "identity_provider.install: authentik would have no address. Enable a domain under domains.",
  ]);
  expect(parseStack(stack({ domains, identity_provider: EXISTING }), shell).identityProvider.install).toBe(false);
});

test.each([
  ["https://sso.example.org", "https://sso.example.org"],
  ["https://sso.example.org/", "https://sso.example.org"],
  ["https://SSO.example.org:443", "https://sso.example.org"],
  ["http://sso.example.org:9000/", "http://sso.example.org:9000"],
])("reads the address %s as the origin %s", (url, origin) => {
  expect(parseStack(stack({ identity_provider: { ...EXISTING, url } }), shell).identityProvider.url).toBe(origin);
});

test.each([
  "https://sso.example.org/auth",
  "https://sso.example.org?a=1",
  "https://sso.example.org#a",
  "ftp://sso.example.org",
  "https://sso.example.org.",
])("rejects the address %s", (url) => {
  expect(problemsOf(stack({ identity_provider: { ...EXISTING, url } }))).toEqual([
    "identity_provider.url: is not the http or https address of a server. Write it like https://sso.example.org, without credentials, path or query, and without a dot at the end of the host.",
  ]);
});

test.each([
  ["authentik Admins", "authentik's own administrators' group. Remove it, and use a group without superusers."],
  [
    "authentik Read-only",
    "authentik's own group whose members read every object, with the secrets of all clients. Remove it, and use another group.",
  ],
])("rejects service accounts and sample users in the group %s", (group, what) => {
  const groups = ["staff", group];
  const alice = { username: "alice", name: "Alice", email: "alice@example.org", password: "${SECRET}", groups };
  const raw = stack({
    domains: { localhost: {} },
    identity_provider: {
      ...sections.identity_provider,
      service_accounts: [{ name: "reporter", groups }],
      sample_users: [alice],
    },
  });
  const problem = `group "${group}" is ${what}`;
  expect(problemsOf(raw)).toEqual([
    `identity_provider.service_accounts: ${problem}`,
    `identity_provider.sample_users: ${problem}`,
  ]);
});

test("rejects the url of an existing identity provider and a second akadmin with install: true", () => {
  expect(problemsOf(provider({ url: "https://sso.example.org", service_accounts: [{ name: "akadmin" }] }))).toEqual([
    "identity_provider.url: names an existing identity provider, but install is true. " +
      "Remove it (host and domain give the address), or set install: false.",
    'identity_provider: user "akadmin" is authentik\'s own. Give each user and service account another name.',
  ]);
});

describe("an installed identity provider on a domain with Traefik's default certificate", () => {
  const installed = { ...sections.identity_provider, api_url: undefined };
  const mesh = { enabled: true, base_domain: "mesh.example.org" };
  const external = { enabled: true, base_domain: "example.org" };
  const on = (domains: object, fields: object = {}) =>
    stack({ domains, identity_provider: { ...installed, ...fields }, protected_services: [] });
  const problem = (kind: string) =>
    `identity_provider.api_url: missing, but domain "${kind}" uses Traefik's default certificate, which the Terraform ` +
    `provider does not trust. Set tls of domain "${kind}" to a resolver or upstream, or set api_url to an ` +
    "address of the API without that certificate.";

  test.each<[string, object, object, string]>([
    ["is the first enabled one", { localhost: { enabled: false }, mesh }, {}, "mesh"],
    ["is chosen", { localhost: {}, mesh }, { domain: "mesh" }, "mesh"],
    ["is the first of two", { external, mesh }, {}, "mesh"],
  ])("is refused without api_url where the domain %s", (_, domains, fields, kind) => {
    expect(problemsOf(on(domains, fields))).toEqual([problem(kind)]);
  });

  test.each<[string, object, object]>([
    ["api_url is set", { mesh }, { api_url: "http://10.0.0.7:9000" }],
    ["a resolver provides the certificate", { mesh: { ...mesh, tls: { resolver: "letsencrypt" } } }, {}],
    ["a Secret contains the certificate", { mesh: { ...mesh, tls: { secret: "mesh" } } }, {}],
    ["a proxy terminates TLS", { mesh: { ...mesh, tls: "upstream" } }, {}],
    ["the first domain has no TLS", { localhost: {}, mesh }, {}],
    [
      "another domain is chosen",
      { mesh, external: { ...external, tls: { resolver: "letsencrypt" } } },
      { domain: "external" },
    ],
    ["the domain is not enabled", { localhost: {}, mesh: { ...mesh, enabled: false } }, {}],
  ])("is accepted where %s", (_, domains, fields) => {
    expect(() => parseStack(on(domains, fields), shell)).not.toThrow();
  });

  test("is accepted without api_url for an existing identity provider", () => {
    expect(() => parseStack(stack({ domains: { mesh }, identity_provider: EXISTING }), shell)).not.toThrow();
  });
});

describe("a service account", () => {
  test("defaults to namespace default and no groups", () => {
    const accounts = [{ name: "reporter" }, { name: "backup", namespace: "ops", groups: ["staff"] }];
    expect(parseStack(provider({ service_accounts: accounts }), shell).identityProvider.serviceAccounts).toEqual([
      { name: "reporter", namespace: "default", groups: [] },
      { name: "backup", namespace: "ops", groups: ["staff"] },
    ]);
  });

  test("is accepted on every domain", () => {
    expect(parseStack(provider({ service_accounts: [{ name: "reporter" }] }), shell).warnings).toEqual([]);
  });

  test.each(["Reporter", "report_er", "-reporter", "a".repeat(64)])("rejects the name %s", (name) => {
    expect(problemsOf(provider({ service_accounts: [{ name }] }))).toEqual([
      `identity_provider.service_accounts[0].name: found "${name}", expected a DNS label. ` +
        "Use at most 63 of a-z, 0-9 and -, and begin and end with a letter or digit.",
    ]);
  });

  test("rejects a name that another account or user has", () => {
    const alice = { name: "Alice", email: "a@example.org", password: "${SECRET}" };
    const raw = stack({
      domains: { localhost: {} },
      identity_provider: {
        ...sections.identity_provider,
        service_accounts: [{ name: "reporter" }, { name: "reporter" }, { name: "alice" }],
        sample_users: [{ ...alice, username: "alice" }],
      },
    });
    const problem = "is the name or the email address of two users. Give each user and service account its own.";
    expect(problemsOf(raw)).toEqual([
      `identity_provider: "reporter" ${problem}`,
      `identity_provider: "alice" ${problem}`,
    ]);
  });
});

describe("a group", () => {
  const places: [string, (group: string) => ReturnType<typeof stack>, string][] = [
    ["a service", (group) => stack({ protected_services: [proxy({ groups: [group] })] }), "protected_services[0]"],
    ["the identity provider", (group) => provider({ groups: [group] }), "identity_provider"],
    [
      "a service account",
      (group) => provider({ service_accounts: [{ name: "reporter", groups: [group] }] }),
      "identity_provider.service_accounts[0]",
    ],
  ];

  describe.each(places)("of %s", (_, raw, place) => {
    test.each(["staff", "a|b", "Drift og utvikling", "æøå ÆØÅ", "x".repeat(200), "日本", "a.b:c/d@e", "$HOME", "ü"])(
      "accepts a group named %s",
      (group) => {
        expect(parseStack(raw(group), shell).warnings).toEqual([]);
      },
    );

    test.each([
      ["a comma", "a,b"],
      ["a line break", "a\nb"],
      ["a carriage return", "a\rb"],
      ["a tab", "a\tb"],
      ["a line separator", "a\u2028b"],
      ["a zero byte", "a\0b"],
      ["an invisible character", "ad\u200bmins"],
      ["a soft hyphen", "ad\u00admins"],
      ["a right-to-left override", "\u202esnimda"],
      ["a no-break space", "a\u00a0b"],
      ["a leading space", " staff"],
      ["a trailing space", "staff "],
      ["a space only", " "],
      ["an empty name", ""],
    ])("rejects a group with %s", (_what, group) => {
      expect(problemsOf(raw(group)).map((line) => line.replace(/^(\S+)( "wiki")?: found ".*", /su, "$1: "))).toEqual([
        `${place}.groups[0]: expected a group name without commas, invisible characters and outer spaces. ` +
          "X-idp-groups separates groups with commas; rename the group.",
      ]);
    });

    test("rejects a group with characters that are not composed, which looks the same as the one with composed ones", () => {
      expect(
        problemsOf(raw("Gru\u0308n")).map((line) => line.replace(/^(\S+)( "wiki")?: found ".*", /su, "$1: ")),
      ).toEqual([
        `${place}.groups[0]: expected a group name in Unicode NFC (composed characters). Type the name again, because both forms look the same.`,
      ]);
    });
  });
});
