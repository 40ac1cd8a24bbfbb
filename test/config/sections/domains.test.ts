import { describe, expect, test, vi } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { proxy, problemsOf, sections, shell, stack } from "../stacks.ts";

const identity_provider = { ...sections.identity_provider, domain: "localhost" };
const mesh = (fields: Record<string, unknown>) =>
  stack({
    domains: { localhost: {}, mesh: { enabled: true, base_domain: "mesh.example.org", ...fields } },
    protected_services: [proxy({})],
    identity_provider,
  });
const meshOf = (fields: Record<string, unknown>) => parseStack(mesh(fields), shell).domains[1];

const DNS_NAME =
  "contains a DNS name and another target, and a name with a CNAME record has no other record. Use IP addresses, or one DNS name.";

describe("TLS of a domain", () => {
  test.each<[string, Record<string, unknown>, unknown]>([
    ["Traefik's default certificate, unless stated", {}, { termination: "default" }],
    ["a proxy before the gateway", { tls: "upstream" }, { termination: "upstream" }],
    ["a certificate resolver", { tls: { resolver: "letsencrypt" } }, { termination: "resolver", name: "letsencrypt" }],
    ["a Secret", { tls: { secret: "mesh.example-tls" } }, { termination: "secret", name: "mesh.example-tls" }],
    ["nothing on http", { protocol: "http" }, undefined],
  ])("is %s", (_, fields, tls) => {
    expect(meshOf(fields)?.tls).toEqual(tls);
  });

  test("is accepted for localhost with https", () => {
    const raw = stack({ domains: { localhost: { protocol: "https", tls: { secret: "dev" } } }, data_api: undefined });
    expect(parseStack(raw, shell).domains[0]?.tls).toEqual({ termination: "secret", name: "dev" });
  });

  test.each([["upstream"], [{ resolver: "letsencrypt" }], [{ secret: "wildcard" }]])(
    "is refused on http: %j",
    (tls) => {
      expect(problemsOf(mesh({ protocol: "http", tls }))).toEqual([
        'domains.mesh.tls: requires protocol "https". Remove tls, or set protocol: https.',
      ]);
    },
  );

  test.each<[string, unknown, string]>([
    ["a word that is none", "gateway", 'found "gateway", '],
    ["both a resolver and a Secret", { resolver: "letsencrypt", secret: "wildcard" }, "found a section, "],
    ["neither", {}, "found a section, "],
    ["a list", ["upstream"], "found a list, "],
  ])("is refused when it is %s", (_, tls, found) => {
    expect(problemsOf(mesh({ tls }))).toEqual([
      `domains.mesh.tls: ${found}expected upstream, { resolver: NAME } or { secret: NAME }. Use one of them.`,
    ]);
  });
});

test.each(["Wildcard", "a..b", "a.-b", "x".repeat(153)])("rejects %s as the name of a TLS Secret", (secret) => {
  expect(problemsOf(mesh({ tls: { secret } }))).toEqual([
    `domains.mesh.tls.secret: found "${secret}", expected a Kubernetes name. Use a-z, 0-9, - and ., each part with a letter or digit at both ends.`,
  ]);
});

test("warns of plain HTTP on another domain than localhost", () => {
  const { warnings } = parseStack(mesh({ protocol: "http" }), shell);
  expect(warnings).toContain(
    "domains.mesh: protocol http sends passwords, sessions and identity headers unencrypted. Set protocol: https.",
  );
  const tailnet = parseStack(mesh({ protocol: "http", base_domain: "tail1234.ts.net" }), shell);
  expect(tailnet.warnings.filter((text) => text.includes("unencrypted"))).toEqual([]);
  expect(parseStack(stack(), shell).warnings.filter((text) => text.includes("unencrypted"))).toEqual([]);
});

test("accepts a base domain of localhost below localhost", () => {
  const raw = stack({ domains: { localhost: { base_domain: "dev.localhost" } } });
  expect(parseStack(raw, shell).domains[0]?.baseDomain).toBe("dev.localhost");
});

test("rejects a list of domains, without further problems", () => {
  expect(problemsOf(stack({ domains: ["localhost"] }))).toEqual([
    "domains: expected a section. Write one key per domain kind, e.g. localhost: {}.",
  ]);
});

const ADDRESS =
  "contains a value that no DNS record can have. Use an IP address without a zone or ::ffff:, or a DNS name.";

describe("targets", () => {
  test.each([[["203.0.113.7", "2001:db8::7"]], [["lb.example.net"]]])("accepts %j", (targets) => {
    expect(meshOf({ targets })?.targets).toEqual(targets);
  });

  test.each<[string, string[], string]>([
    ["a DNS name and an address", ["203.0.113.7", "lb.example.net"], DNS_NAME],
    ["two DNS names", ["lb.example.net", "lb2.example.net"], DNS_NAME],
    ["an address twice", ["203.0.113.7", "203.0.113.7"], "contains a target twice. List each target once."],
    [
      "an address in two spellings",
      ["2001:db8::7", "2001:DB8:0::7"],
      "contains a target twice. List each target once.",
    ],
    ["an address with a zone", ["fe80::1%eth0"], ADDRESS],
    ["an IPv4 address in IPv6", ["203.0.113.7", "::ffff:203.0.113.7"], ADDRESS],
    ["an IPv4 address in the long form of IPv6", ["0:0:0:0:0:FFFF:203.0.113.7"], ADDRESS],
    ["a text", ["203.0.113.7", "not a name"], ADDRESS],
  ])("rejects %s", (_, targets, message) => {
    expect(problemsOf(mesh({ targets }))).toEqual([`domains.mesh.targets: ${message}`]);
  });
});

test("rejects a service whose host is the target of its domain", () => {
  expect(problemsOf(mesh({ targets: ["wiki.mesh.example.org"] }))).toEqual([
    'protected_services[0] "wiki": host "wiki.mesh.example.org" is the target of its own domain\'s records. Give each service its own host.',
  ]);
});

test("has its custom kinds in the same order in every locale: the first one is the default for the sign-in", () => {
  const { compare } = new Intl.Collator("nb");
  vi.spyOn(String.prototype, "localeCompare").mockImplementation(function (this: string, other: string) {
    return compare(this, other);
  });
  const kind = (name: string) => ({
    enabled: true,
    base_domain: `${name}.example.org`,
    protocol: "https",
    description: name,
  });
  const domains = { localhost: {}, zeta: kind("zeta"), aarhus: kind("aarhus") };
  expect(parseStack(stack({ domains }), shell).domains.map((domain) => domain.kind)).toEqual([
    "localhost",
    "aarhus",
    "zeta",
  ]);
  vi.restoreAllMocks();
});

test("warns of a base domain below another one, whose applications can set cookies for both", () => {
  const warnings = (baseDomain: string, more: object = {}) => {
    const domains = {
      localhost: {},
      external: { enabled: true, base_domain: "example.org" },
      apps: { enabled: true, base_domain: baseDomain, protocol: "https", description: "Apps", ...more },
    };
    return parseStack(stack({ domains, protected_services: [proxy({})], identity_provider }), shell).warnings;
  };
  expect(warnings("apps.example.org")).toEqual([
    "domains.apps: apps.example.org is below example.org of domains.external, so that an application on either can set cookies for the " +
      "hosts of the other. Put applications that you do not trust below another registrable domain (SECURITY.md, Not defended).",
  ]);
  expect(warnings("apps-example.org")).toEqual([]);
  expect(warnings("apps.example.org", { enabled: false })).toEqual([]);
  // Browsers reject cookies for all of localhost.
  expect(warnings("apps.localhost")).toEqual([]);
});

describe("a tailnet", () => {
  test("warns with the names of the required nodes", () => {
    const raw = stack({
      domains: { localhost: {}, mesh: { enabled: true, base_domain: "tail1234.ts.net" } },
      protected_services: [
        proxy({}),
        proxy({ name: "local", application_slug: "local", domains: ["localhost"] }),
        proxy({ name: "mail", application_slug: "mail", domains: ["mesh"] }),
      ],
      identity_provider,
    });
    expect(parseStack(raw, shell).warnings).toEqual([
      "domains.mesh: tail1234.ts.net has no wildcard names. Add a node for each of: authentik, data, catalog, wiki, mail",
    ]);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ["is in the cluster", { service: { name: "sso" } }, "authentik, wiki"],
    ["is somewhere else", {}, "wiki"],
  ])("counts an identity provider that was there already and %s", (_, fields, nodes) => {
    const raw = stack({
      domains: { mesh: { enabled: true, base_domain: "tail1234.ts.net" } },
      protected_services: [proxy({})],
      identity_provider: { install: false, url: "https://sso.example.org", token: "${TOKEN}", ...fields },
      data_api: undefined,
    });
    expect(parseStack(raw, shell).warnings).toEqual([
      `domains.mesh: tail1234.ts.net has no wildcard names. Add a node for each of: ${nodes}`,
    ]);
  });

  test.each(["ts.net", "node.tail1234.ts.net", "a.b.tail1234.ts.net"])("rejects the base domain %s", (baseDomain) => {
    expect(problemsOf(mesh({ base_domain: baseDomain }))).toEqual([
      `domains.mesh.base_domain: "${baseDomain}" is not a tailnet, and names below a node do not resolve. ` +
        "Set <tailnet>.ts.net, and add one node for each service to the tailnet.",
    ]);
  });

  test("rejects targets, also for a custom kind", () => {
    const partner = {
      enabled: true,
      base_domain: "tail1234.ts.net",
      protocol: "https",
      description: "Partner",
      targets: ["203.0.113.7"],
    };
    expect(problemsOf(stack({ domains: { partner }, protected_services: [proxy({})] }))).toEqual([
      "domains.partner.targets: a tailnet does not support DNS records. Remove targets, and add one node for each service to the tailnet.",
    ]);
  });

  test.each(["tail1234.ts.network", "notts.net", "ts.net.example.org"])(
    "accepts targets for %s, which is not a tailnet",
    (baseDomain) => {
      expect(parseStack(mesh({ base_domain: baseDomain, targets: ["203.0.113.7"] }), shell).warnings).toEqual([]);
    },
  );

  test("is not checked when the domain is disabled", () => {
    const off = { enabled: false, base_domain: "node.tail1234.ts.net", targets: ["203.0.113.7"] };
    expect(parseStack(stack({ domains: { localhost: {}, mesh: off } }), shell).warnings).toEqual([]);
  });
});
