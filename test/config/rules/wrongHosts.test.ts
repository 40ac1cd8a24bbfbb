import { describe, expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { basic, messageOf, oauth2, proxy, report, sections, shell, stack } from "../stacks.ts";

const existing = { install: false, token: "${TOKEN}" };

const cases = [
  {
    title: "two basic services with one middleware for Traefik",
    raw: stack({
      protected_services: [
        basic({ name: "c-a", service: { name: "x", namespace: "b", port: 80 } }),
        basic({ name: "a", service: { name: "x", namespace: "b-c", port: 80 } }),
      ],
    }),
    lines: [
      'protected_services[1] "a": namespace "b-c" and name "a" are those of "c-a" for Traefik, which joins them with one hyphen between words. Rename one of the two.',
    ],
  },
  {
    title: "two basic services whose names differ in the number of hyphens",
    raw: stack({ protected_services: [basic({ name: "tool-x" }), basic({ name: "tool--x" })] }),
    lines: [
      'protected_services[1] "tool--x": namespace "default" and name "tool--x" are those of "tool-x" for Traefik, which joins them with one hyphen between words. Rename one of the two.',
    ],
  },
  {
    title: "proxy without application_slug",
    raw: stack({ protected_services: [proxy({ application_slug: undefined })] }),
    lines: [
      'protected_services[0].application_slug "wiki": missing. Add it: Slug of the application in the identity provider; with forward auth, that of a host is `<application_slug>-<domain kind>`.',
    ],
  },
  {
    title: "two services of one name",
    raw: stack({ protected_services: [proxy({}), proxy({ application_slug: "other" })] }),
    lines: [
      'protected_services[1] "wiki": name is already used by protected_services[0]. Give each service its own name.',
    ],
  },
  {
    title: "a catalog on the host of the data API",
    raw: stack({ data_api: { ...sections.data_api, catalog: { host: "data" } }, protected_services: [] }),
    lines: ['data_api.catalog: host "data.localhost" is already used by the data API. Give it another host.'],
  },
  {
    title: "a service on the host of the catalog",
    raw: stack({ protected_services: [proxy({ name: "catalog", domains: ["localhost"] })] }),
    lines: [
      'protected_services[0] "catalog": host "catalog.localhost" is already used by the catalog. Give each service its own host.',
    ],
  },
  {
    title: "two applications of one slug",
    raw: stack({ protected_services: [proxy({}), proxy({ name: "handbook" })] }),
    lines: [
      'protected_services[1].application_slug "handbook": application "wiki" is already used by "wiki". Give each application its own slug.',
    ],
  },
  {
    title: "two applications whose slugs become one",
    raw: stack({
      protected_services: [proxy({ application_slug: "wiki" }), oauth2({ application_slug: "wiki-mesh" })],
    }),
    lines: [
      'protected_services[1].application_slug "grafana": application "wiki-mesh" is already used by "wiki". Give each application its own slug.',
    ],
  },
  {
    title: "two applications whose slugs become one by a domain kind with a dash",
    raw: stack({
      domains: {
        localhost: {},
        mesh: { enabled: true, base_domain: "mesh.example.org" },
        "eu-mesh": { enabled: true, base_domain: "eu.example.org", protocol: "https", description: "Europe" },
      },
      protected_services: [proxy({}), proxy({ name: "wiki-eu", application_slug: "wiki-eu" })],
    }),
    lines: [
      'protected_services[1].application_slug "wiki-eu": application "wiki-eu" is already used by "wiki". Give each application its own slug.',
    ],
  },
  {
    title: "the application of another service's test environment",
    raw: stack({
      protected_services: [proxy({}), oauth2({ application_slug: "whoami-wiki-localhost" })],
    }),
    lines: [
      'protected_services[1].application_slug "grafana": application "whoami-wiki-localhost" is already used by "wiki". Give each application its own slug.',
    ],
  },
  {
    title: "a proxied application that becomes that of another service's test environment",
    raw: stack({
      protected_services: [proxy({ application_slug: "whoami-grafana" }), oauth2({})],
    }),
    lines: [
      'protected_services[1].application_slug "grafana": application "grafana" is already used by "wiki". Give each application its own slug.',
    ],
  },
  {
    title: "the identity provider's host",
    raw: stack({ protected_services: [proxy({ name: "authentik" })] }),
    lines: [
      'protected_services[0] "authentik": host "authentik.localhost" is already used by the identity provider. Give each service its own host.',
    ],
  },
  {
    title: "the data API's host",
    raw: stack({ protected_services: [proxy({ name: "data" })] }),
    lines: [
      'protected_services[0] "data": host "data.localhost" is already used by the data API. Give each service its own host.',
    ],
  },
  {
    title: "the data API's name on a domain where it has no host",
    raw: stack({
      protected_services: [proxy({ name: "data", domains: ["mesh"] })],
      data_api: { ...sections.data_api, domains: ["localhost"] },
    }),
    lines: [
      'protected_services[0] "data": name "data" is already used by the data API. Give each service its own host.',
    ],
  },
  {
    title: "the open test host",
    raw: stack({ protected_services: [basic({ name: "whoami-public" })] }),
    lines: [
      'protected_services[0] "whoami-public": host "whoami-public.localhost" is already used by the open test host. Give each service its own host.',
    ],
  },
  {
    title: "the host of another service's test environment",
    raw: stack({ protected_services: [proxy({}), basic({ name: "whoami-wiki" })] }),
    lines: [
      'protected_services[1] "whoami-wiki": host "whoami-wiki.localhost" is already used by the test environment of "wiki". Give each service its own host.',
    ],
  },
  {
    title: "the host of a test environment that is another's service",
    raw: stack({ protected_services: [basic({ name: "whoami-wiki" }), proxy({})] }),
    lines: [
      'protected_services[0] "whoami-wiki": host "whoami-wiki.localhost" is already used by the test environment of "wiki". Give each service its own host.',
    ],
  },
  {
    title: "the name of a test environment, on another domain",
    raw: stack({
      protected_services: [proxy({}), proxy({ name: "whoami-wiki", application_slug: "x", domains: ["mesh"] })],
    }),
    lines: [
      'protected_services[1] "whoami-wiki": name "whoami-wiki" is already used by the test environment of "wiki". Give each service its own host.',
    ],
  },
  {
    title: "a test environment where the identity provider is",
    raw: stack({
      protected_services: [proxy({})],
      identity_provider: { ...sections.identity_provider, host: "whoami-wiki" },
    }),
    lines: [
      'protected_services[0] "wiki": its test environment\'s host "whoami-wiki.localhost" is already used by the identity provider. Rename the service, or set test_environments: { enabled: false }.',
    ],
  },
  {
    title: "hosts of an existing identity provider's URL",
    raw: stack({
      domains: { localhost: {}, external: { enabled: true, base_domain: "example.org" } },
      protected_services: [proxy({ name: "login", domains: ["external"] }), basic({})],
      identity_provider: { ...existing, url: "https://Login.example.org" },
    }),
    lines: [
      'protected_services[0] "login": host "login.example.org" is that of identity_provider.url. Give each service its own host.',
    ],
  },
  {
    title: "a test environment on the host of an existing identity provider's URL",
    raw: stack({
      protected_services: [proxy({})],
      identity_provider: { ...existing, url: "http://whoami-wiki.localhost" },
    }),
    lines: [
      'protected_services[0] "wiki": its test environment\'s host "whoami-wiki.localhost" is that of identity_provider.url. Rename the service, or set test_environments: { enabled: false }.',
    ],
  },
  {
    title: "a data API on the host of an existing identity provider's URL",
    raw: stack({ protected_services: [], identity_provider: { ...existing, url: "http://data.localhost" } }),
    lines: ['data_api: host "data.localhost" is that of identity_provider.url. Give it another host.'],
  },
  {
    title: "the same host label for identity provider and data API",
    raw: stack({ data_api: { ...sections.data_api, host: "authentik" } }),
    lines: ['data_api: host "authentik.localhost" is already used by the identity provider. Give it another host.'],
  },
  {
    title: "a domain kind that does not exist",
    raw: stack({ protected_services: [proxy({ domains: ["localhost", "mesch"] })] }),
    lines: ['protected_services[0].domains[1] "wiki": domain "mesch" does not exist. Did you mean "mesh"?'],
  },
  {
    title: "a domain kind that resembles nothing",
    raw: stack({ protected_services: [proxy({ domains: ["intranet"] })] }),
    lines: [
      'protected_services[0].domains[0] "wiki": domain "intranet" does not exist. Add it to the domains section, or use one of localhost, mesh, external.',
    ],
  },
  {
    title: "domains that are neither a list nor auto",
    raw: stack({ protected_services: [proxy({ domains: "all" })] }),
    lines: [
      'protected_services[0].domains "wiki": found "all", expected a list of domain kinds, or auto. Write e.g. [localhost, mesh].',
    ],
  },
  {
    title: "a custom domain without its settings",
    raw: stack({ domains: { partner: { enabled: true } } }),
    lines: [
      "domains.partner.base_domain: missing. Add it: Base domain of every host, `<name>.<base_domain>`; may be a ${VARIABLE}.",
      "domains.partner.protocol: missing. Add it: Protocol of every URL of this domain.",
      "domains.partner.description: missing. Add it: What the domain is for.",
    ],
  },
  {
    title: "an enabled domain without a base domain",
    raw: stack({ domains: { localhost: {}, mesh: { enabled: true } } }),
    lines: ['domains.mesh.base_domain: missing, and domain "mesh" is enabled. Add it, or set enabled: false.'],
  },
  {
    title: "a base domain that is no DNS name",
    raw: stack({ domains: { mesh: { enabled: true, base_domain: "Example.org" } } }),
    lines: ['domains.mesh.base_domain: "Example.org" is not a DNS name in lower case. Write it like example.org.'],
  },
  {
    title: "two domains with one base domain",
    raw: stack({
      domains: {
        mesh: { enabled: true, base_domain: "example.org" },
        external: { enabled: true, base_domain: "example.org" },
      },
    }),
    lines: [
      'domains.external.base_domain: "example.org" is already the base domain of "mesh". Give each enabled domain its own.',
    ],
  },
  {
    title: "a host that is too long",
    raw: stack({
      domains: {
        mesh: {
          enabled: true,
          base_domain: ["a".repeat(62), "b".repeat(62), "c".repeat(62), "d".repeat(61)].join("."),
        },
      },
      protected_services: [proxy({})],
      data_api: undefined,
      identity_provider: { ...sections.identity_provider, host: "id" },
    }),
    lines: [
      'protected_services[0] "wiki": host "wiki.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc.ddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd" is longer than 253 characters. Use a shorter name or base domain.',
    ],
  },
  {
    title: "a kind with a name that cannot be part of others",
    raw: stack({
      domains: {
        localhost: {},
        "My Domain": { enabled: false, base_domain: "x.org", protocol: "https", description: "Mine" },
      },
    }),
    lines: [
      "domains.My Domain: is not a valid name of a domain kind. Use at most 20 of a-z, 0-9 and -, and not auto, which means every enabled domain.",
    ],
  },
  {
    title: "a kind with the name of every enabled domain",
    raw: stack({
      domains: { auto: { enabled: true, base_domain: "auto.internal", protocol: "http", description: "Internal" } },
      protected_services: [],
      data_api: undefined,
    }),
    lines: [
      "domains.auto: is not a valid name of a domain kind. Use at most 20 of a-z, 0-9 and -, and not auto, which means every enabled domain.",
    ],
  },
  {
    title: "a public base domain of localhost, whose test hosts would be open to everyone",
    raw: stack({ domains: { localhost: { base_domain: "example.org" } } }),
    lines: [
      'domains.localhost.base_domain: "example.org" is not localhost or below it, and this domain has test hosts, sample users and images without digests. ' +
        "Remove it, or use another domain kind.",
    ],
  },
  {
    title: "a context that is not a name",
    raw: stack({}, { "kubernetes:context": { value: { name: "x" } } }),
    lines: ["kubernetes:context: is not a plain name. Write the name of a context of your kubeconfig, in plain text."],
  },
];

describe("Wrong domains, names and hosts", () => {
  test.each(cases)("are reported: $title", ({ raw, lines }) => {
    expect(messageOf(() => parseStack(raw, shell))).toBe(report(lines));
  });
});

test("accepts an existing identity provider's own host, with a Service in the cluster", () => {
  const identity_provider = { ...existing, url: "http://login.localhost", host: "login", service: { name: "sso" } };
  expect(parseStack(stack({ identity_provider }), shell).identityProvider.host).toBe("login");
});

test("accepts the host of an existing identity provider's URL on another port", () => {
  const external = { enabled: true, base_domain: "example.org" };
  const raw = stack({
    domains: { external },
    protected_services: [proxy({ name: "login", domains: ["external"] })],
    identity_provider: { ...existing, url: "https://login.example.org:9443" },
    data_api: undefined,
  });
  expect(parseStack(raw, shell).services.map(({ name }) => name)).toEqual(["login"]);
});

test("accepts the name of a test environment that does not exist", () => {
  const domains = { localhost: {}, external: { enabled: true, base_domain: "example.org" } };
  const protected_services = ["app", "whoami-app"].map((name) =>
    proxy({ name, application_slug: name, domains: ["external"] }),
  );
  const { services } = parseStack(stack({ domains, protected_services }), shell);
  expect(services.map(({ name }) => name)).toEqual(["app", "whoami-app"]);
});
