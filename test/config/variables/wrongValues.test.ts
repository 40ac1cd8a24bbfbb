import { describe, expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { basic, messageOf, oauth2, proxy, report, sections, shell, stack } from "../stacks.ts";

const cases = [
  {
    title: "a variable that is not set",
    raw: stack({ domains: { mesh: { enabled: true, base_domain: "${MESH_DOMAIN}" } } }),
    lines: [
      'domains.mesh.base_domain: template variable "MESH_DOMAIN" is not set. Run: pulumi config set variables:MESH_DOMAIN VALUE --stack dev, or: export MESH_DOMAIN=...',
    ],
  },
  {
    title: "a secret variable that is not set",
    raw: stack({ protected_services: [oauth2({}, { client_secret: "${GRAFANA_SECRET}" })] }),
    lines: [
      'protected_services[0].oauth_config.client_secret "grafana": template variable "GRAFANA_SECRET" is not set. Run: pulumi config set --secret variables:GRAFANA_SECRET --stack dev, or: export GRAFANA_SECRET=...',
    ],
  },
  {
    title: "a secret variable in a plain value",
    raw: stack(
      { domains: { mesh: { enabled: true, base_domain: "${HIDDEN}" } } },
      { "variables:HIDDEN": { secret: true } },
    ),
    lines: [
      'domains.mesh.base_domain: template variable "HIDDEN" is secret, but this field is not. Use another variable, or run: pulumi config set --plaintext variables:HIDDEN VALUE --stack dev',
    ],
  },
  {
    title: "a variable whose value is not a port",
    raw: stack({ domains: { localhost: { port: "${PORT}" } } }, { "variables:PORT": { value: "http" } }),
    lines: ["domains.localhost.port: ${PORT} is not a port. Set it to a number from 1 to 65535."],
  },
  {
    title: "a variable without a name",
    raw: stack({ domains: { mesh: { enabled: true, base_domain: "${MESH-DOMAIN}.org" } } }),
    lines: ["domains.mesh.base_domain: found ${ without a variable name. Write ${NAME}, with letters, digits and _."],
  },
  {
    title: "a secret in plain text",
    raw: stack({ protected_services: [basic({ basic_auth: { username: "ops", password: "hunter2" } })] }),
    lines: [
      'protected_services[0].basic_auth.password "legacy": found plain text, expected a template variable. Write "${NAME}", and run: pulumi config set --secret variables:NAME',
    ],
  },
  {
    title: "an encrypted value inside a section",
    raw: stack({ postgres: { host: "db", password: { secure: "v1:abc" } } }),
    lines: [
      'postgres.password: found an encrypted value. Write "${NAME}" instead, and run: pulumi config set --secret variables:NAME',
    ],
  },
  {
    title: "texts with the character NUL",
    raw: stack({
      domains: { localhost: { enabled: true, description: "This\0machine" } },
      protected_services: [proxy({ description: "Re\0ports", groups: ["staff", "a\0b"] })],
    }),
    lines: [
      "domains.localhost.description: contains the character NUL. Remove it.",
      String.raw`protected_services[0].groups[1] "wiki": found "a\u0000b", expected a group name without commas, invisible characters and outer spaces. X-idp-groups separates groups with commas; rename the group.`,
      "protected_services[0].description: contains the character NUL. Remove it.",
    ],
  },
  {
    title: "a section that is encrypted as a whole",
    raw: stack({}, { "gatehouse:postgres": { secret: true } }),
    lines: [
      'postgres: found an encrypted value. Write "${NAME}" instead, and run: pulumi config set --secret variables:NAME',
    ],
  },
  {
    title: "an address with credentials",
    raw: stack({
      identity_provider: { install: false, token: "${TOKEN}", url: "https://root:hunter2@sso.example.org" },
    }),
    lines: [
      "identity_provider.url: is not the http or https address of a server. Write it like https://sso.example.org, without credentials, path or query, and without a dot at the end of the host.",
    ],
  },
  {
    title: "a public client with a secret, and a confidential one without",
    raw: stack({
      protected_services: [
        oauth2({}, { client_type: "public" }),
        oauth2({ name: "wiki", application_slug: "wiki" }, { client_secret: undefined }),
      ],
    }),
    lines: [
      'protected_services[0].oauth_config.client_secret "grafana": a public client has no secret. Remove it, or remove client_type.',
      'protected_services[1].oauth_config.client_secret "wiki": missing. Add it: Client secret, as a ${VARIABLE}. Or set client_type: public.',
    ],
  },
  {
    title: "everything at once, in the order of the file",
    raw: stack({
      domains: { localhost: {}, mesh: { enabled: true, base_domain: "${MESH_DOMAIN}", portt: 1 } },
      protected_services: [
        oauth2({ session: "1h", domains: ["lokalhost"] }, { client_secret: "${NOT_SET}" }),
        proxy({ name: "authentik", groups: 5 }),
      ],
      identity_provider: { ...sections.identity_provider, secret_key: undefined, token: 5 },
      dataapi: {},
    }),
    lines: [
      'gatehouse:dataapi: unknown key. Did you mean "gatehouse:data_api"?',
      'domains.mesh.portt: unknown key. Did you mean "port"?',
      'domains.mesh.base_domain: template variable "MESH_DOMAIN" is not set. Run: pulumi config set variables:MESH_DOMAIN VALUE --stack dev, or: export MESH_DOMAIN=...',
      'protected_services[0].session "grafana": found "1h", expected a duration in authentik\'s spelling. Write it like hours=10;minutes=5.',
      'protected_services[0].oauth_config.client_secret "grafana": template variable "NOT_SET" is not set. Run: pulumi config set --secret variables:NOT_SET --stack dev, or: export NOT_SET=...',
      'protected_services[0].domains[0] "grafana": domain "lokalhost" does not exist. Did you mean "localhost"?',
      'protected_services[1].groups "authentik": found a number, expected a list. Write a list, e.g. [one, two].',
      'protected_services[1] "authentik": host "authentik.localhost" is already used by the identity provider. Give each service its own host.',
      "identity_provider.token: found a number, expected text. Write text, in quotes where it looks like something else.",
      "identity_provider.secret_key: missing, but install: true requires it. Add it, or set install: false.",
    ],
  },
];

describe("Wrong variables and secrets", () => {
  test.each(cases)("are reported: $title", ({ raw, lines }) => {
    expect(messageOf(() => parseStack(raw, shell))).toBe(report(lines));
  });
});
