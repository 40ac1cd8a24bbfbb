import { describe, expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { basic, messageOf, oauth2, proxy, report, shell, stack, sections } from "../stacks.ts";

const cases = [
  {
    title: "an unknown key of a service, by a typing error",
    raw: stack({ protected_services: [proxy({ public_path: ["/x"] })] }),
    lines: ['protected_services[0].public_path "wiki": unknown key. Did you mean "public_paths"?'],
  },
  {
    title: "a missing name",
    raw: stack({ protected_services: [proxy({ name: undefined })] }),
    lines: [
      "protected_services[0].name: missing. Add it: Name of the service, and host label: `<name>.<base_domain>`.",
    ],
  },
  {
    title: "a name that is no DNS label",
    raw: stack({ protected_services: [proxy({ name: "My_Wiki" })] }),
    lines: [
      'protected_services[0].name "My_Wiki": found "My_Wiki", expected a DNS label. Use at most 63 of a-z, 0-9 and -, and begin and end with a letter or digit.',
    ],
  },
  {
    title: "a name that Gatehouse keeps for itself",
    raw: stack({ protected_services: [proxy({ name: "gatehouse-tls-wiki" })] }),
    lines: [
      'protected_services[0].name "gatehouse-tls-wiki": found "gatehouse-tls-wiki", expected a name that does not start with gatehouse-. Gatehouse\'s own objects have such names.',
    ],
  },
  {
    title: "an unknown type",
    raw: stack({ protected_services: [proxy({ type: "oauth" })] }),
    lines: [
      'protected_services[0].type "wiki": found "oauth", expected proxy, oauth2 or basic. Did you mean "oauth2"?',
    ],
  },
  {
    title: "a type that resembles nothing",
    raw: stack({ protected_services: [proxy({ type: "saml" })] }),
    lines: ['protected_services[0].type "wiki": found "saml", expected proxy, oauth2 or basic. Use one of them.'],
  },
  {
    title: "no type",
    raw: stack({ protected_services: [proxy({ type: undefined })] }),
    lines: ['protected_services[0].type "wiki": missing. Add it: proxy, oauth2 or basic.'],
  },
  {
    title: "a type that every object has as a property",
    raw: stack({ protected_services: [proxy({ type: "constructor" })] }),
    lines: [
      'protected_services[0].type "wiki": found "constructor", expected proxy, oauth2 or basic. Use one of them.',
    ],
  },
  {
    title: "scopes of authentik's own API and of identity headers",
    raw: stack({
      protected_services: [oauth2({}, { scopes: ["goauthentik.io/api", "gatehouse_identity", "ak_proxy"] })],
    }),
    lines: ["goauthentik.io/api", "gatehouse_identity", "ak_proxy"].map(
      (scope, index) =>
        `protected_services[0].oauth_config.scopes[${index}] "grafana": found "${scope}", expected a scope other than openid, email, profile, goauthentik.io/api, ak_proxy and gatehouse_*. ` +
        "Remove it: the first three are always requested; with goauthentik.io/api a client calls authentik's API as its users, administrators included; with the others it gets X-idp-jwt, which applications trust.",
    ),
  },
  {
    title: "tokens that are expired when they are issued, and a session that Python cannot represent",
    raw: stack({
      protected_services: [oauth2({ session: "weeks=999999999" }, { access_token_validity: "seconds=0" })],
    }),
    lines: [
      'protected_services[0].session "grafana": found "weeks=999999999", expected at most days=366. Write it like hours=10.',
      'protected_services[0].oauth_config.access_token_validity "grafana": found "seconds=0", expected at least minutes=1. Write it like minutes=10.',
    ],
  },
  {
    title: "backends that the stack deploys",
    raw: stack({
      protected_services: [
        proxy({ service: { name: "postgrest", namespace: "gatehouse-data", port: 3000 } }),
        proxy({ name: "catalog", application_slug: "catalog", service: { namespace: "gatehouse-data" } }),
        proxy({ name: "sso", application_slug: "sso", service: { name: "authentik-server", namespace: "authentik" } }),
      ],
      data_api: { ...sections.data_api, catalog: { host: "browse" } },
      test_environments: { service: { name: "postgrest", namespace: "gatehouse-data", port: 3000 } },
    }),
    lines: [
      'protected_services[0].service.namespace "wiki": the stack creates namespace "gatehouse-data" for data_api, and deletes it with that section. Use another namespace.',
      'protected_services[1].service.namespace "catalog": the stack creates namespace "gatehouse-data" for data_api, and deletes it with that section. Use another namespace.',
      'protected_services[2].service.namespace "sso": the stack creates namespace "authentik" for identity_provider, and deletes it with that section. Use another namespace.',
      'test_environments.service.namespace: the stack creates namespace "gatehouse-data" for data_api, and deletes it with that section. Use another namespace.',
    ],
  },
  {
    title: "oauth2 without oauth_config",
    raw: stack({ protected_services: [oauth2({ oauth_config: undefined })] }),
    lines: ['protected_services[0].oauth_config "grafana": missing. Add it: The application as an OAuth 2.0 client.'],
  },
  {
    title: "basic without basic_auth",
    raw: stack({ protected_services: [basic({ basic_auth: undefined })] }),
    lines: ['protected_services[0].basic_auth "legacy": missing. Add it: Credentials of the service.'],
  },
  {
    // Traefik takes such a line of the users for a comment.
    title: "basic with a username that starts with #",
    raw: stack({ protected_services: [basic({ basic_auth: { username: "#ops", password: "${SECRET}" } })] }),
    lines: [
      'protected_services[0].basic_auth.username "legacy": found "#ops", expected a username without : and spaces that does not start with #. Change it.',
    ],
  },
  {
    title: "basic with groups",
    raw: stack({ protected_services: [basic({ groups: ["staff"] })] }),
    lines: [
      'protected_services[0].groups "legacy": a service of type basic has no groups. Remove it, or use type proxy or oauth2.',
    ],
  },
  {
    title: "basic with an application",
    raw: stack({ protected_services: [basic({ application_slug: "legacy" })] }),
    lines: [
      'protected_services[0].application_slug "legacy": a service of type basic has no application_slug. Remove it, or use type proxy or oauth2.',
    ],
  },
  {
    title: "proxy with oauth_config",
    raw: stack({ protected_services: [proxy({ oauth_config: {} })] }),
    lines: [
      'protected_services[0].oauth_config "wiki": a service of type proxy has no oauth_config. Remove it, or use type oauth2.',
    ],
  },
  {
    title: "a redirect_uri that is not a path",
    raw: stack({ protected_services: [oauth2({}, { redirect_uri: "login/callback" })] }),
    lines: [
      'protected_services[0].oauth_config.redirect_uri "grafana": found "login/callback", expected a path that starts with /, and is not below /outpost.goauthentik.io, which the gateway routes to the outpost. Write the callback\'s path without host, e.g. /login/callback.',
    ],
  },
  {
    title: "a choice that does not exist",
    raw: stack({ protected_services: [oauth2({}, { subject_mode: "user_mail" })] }),
    lines: [
      'protected_services[0].oauth_config.subject_mode "grafana": found "user_mail", expected hashed_user_id, user_id, user_uuid, user_username, user_email or user_upn. Did you mean "user_email"?',
    ],
  },
  {
    title: "a session in other words",
    raw: stack({ protected_services: [proxy({ session: "10h" })] }),
    lines: [
      'protected_services[0].session "wiki": found "10h", expected a duration in authentik\'s spelling. Write it like hours=10;minutes=5.',
    ],
  },
  {
    title: "public paths that open too much",
    raw: stack({ protected_services: [proxy({ public_paths: ["/", "/a/../b", "/x%2Fy", "/ok?z", "outside"] })] }),
    lines: [
      'protected_services[0].public_paths[0] "wiki": found "/", expected a plain path prefix. Write it like /public: not / itself, no . or .. segments, no ? # or %.',
      'protected_services[0].public_paths[1] "wiki": found "/a/../b", expected a plain path prefix. Write it like /public: not / itself, no . or .. segments, no ? # or %.',
      'protected_services[0].public_paths[2] "wiki": found "/x%2Fy", expected a plain path prefix. Write it like /public: not / itself, no . or .. segments, no ? # or %.',
      'protected_services[0].public_paths[3] "wiki": found "/ok?z", expected a plain path prefix. Write it like /public: not / itself, no . or .. segments, no ? # or %.',
      'protected_services[0].public_paths[4] "wiki": found "outside", expected a plain path prefix. Write it like /public: not / itself, no . or .. segments, no ? # or %.',
    ],
  },
  {
    title: "the outpost's path as a public one",
    raw: stack({ protected_services: [proxy({ public_paths: ["/outpost.goauthentik.io/x"] })] }),
    lines: [
      'protected_services[0].public_paths[0] "wiki": found "/outpost.goauthentik.io/x", expected a plain path prefix. Write it like /public: not / itself, no . or .. segments, no ? # or %.',
    ],
  },
  {
    title: "a public path that no request matches",
    raw: stack({ protected_services: [proxy({ public_paths: ["/..data"] })] }),
    lines: [
      'protected_services[0].public_paths[0] "wiki": found "/..data", expected a plain path prefix. Write it like /public: not / itself, no . or .. segments, no ? # or %.',
    ],
  },
  {
    title: "a slug that authentik refuses",
    raw: stack({ protected_services: [oauth2({ application_slug: "token" })] }),
    lines: [
      'protected_services[0].application_slug "grafana": found "token", expected a slug that is not authorize, device, introspect, revoke, token or userinfo. Authentik serves OAuth 2.0 endpoints at these paths.',
    ],
  },
  {
    title: "a slug that Gatehouse keeps for itself",
    raw: stack({ protected_services: [oauth2({ application_slug: "gatehouse-identity" })] }),
    lines: [
      'protected_services[0].application_slug "grafana": found "gatehouse-identity", expected a slug that does not start with gatehouse. Gatehouse\'s own applications have such slugs.',
    ],
  },
  {
    title: "two clients of one id, without the id",
    raw: stack({
      protected_services: [
        oauth2({}, { client_id: "canary" }),
        oauth2({ name: "board", application_slug: "board" }, { client_id: "canary" }),
      ],
    }),
    lines: [
      'protected_services[1].oauth_config.client_id "board": is already that of protected_services[0]. Give each client its own id.',
    ],
  },
  {
    title: "two clients whose variables have the same id",
    raw: stack(
      {
        protected_services: [
          oauth2({}, { client_id: "${A}" }),
          oauth2({ name: "board", application_slug: "board" }, { client_id: "${B}" }),
        ],
      },
      { "variables:A": { value: "canary" }, "variables:B": { value: "canary" } },
    ),
    lines: [
      'protected_services[1].oauth_config.client_id "board": is already that of protected_services[0]. Give each client its own id.',
    ],
  },
  {
    title: "a secret as a client id, which each sign-in shows",
    raw: stack({ protected_services: [oauth2({}, { client_id: "${TOKEN}" })] }),
    lines: [
      'protected_services[0].oauth_config.client_id "grafana": template variable "TOKEN" is also in a secret field, and a client id is part of the URL of each sign-in. Use another variable here, and rotate the secret if it was deployed.',
    ],
  },
  {
    title: "template variables in fields that take none",
    raw: stack({
      protected_services: [
        proxy({ groups: ["${STAFF}"] }),
        oauth2({}, { redirect_uri: "/${CALLBACK}" }),
        basic({ basic_auth: { username: "${USER}", password: "${SECRET}" } }),
      ],
    }),
    lines: [
      'protected_services[0].groups[0] "wiki": takes no template variable. Write the value itself.',
      'protected_services[1].oauth_config.redirect_uri "grafana": takes no template variable. Write the value itself.',
      'protected_services[2].basic_auth.username "legacy": takes no template variable. Write the value itself.',
    ],
  },
  {
    title: "the client id of the provider that signs identities",
    raw: stack({ protected_services: [oauth2({}, { client_id: "gatehouse-identity-dev" })] }),
    lines: [
      'protected_services[0].oauth_config.client_id "grafana": begins with gatehouse-identity, as those of the providers that sign X-idp-jwt. Use another id.',
    ],
  },
  {
    title: "a callback below the outpost's path, where the application never gets the code",
    raw: stack({ protected_services: [oauth2({}, { redirect_uri: "/outpost.goauthentik.io/callback" })] }),
    lines: [
      'protected_services[0].oauth_config.redirect_uri "grafana": found "/outpost.goauthentik.io/callback", expected a path that starts with /, and is not below /outpost.goauthentik.io, which the gateway routes to the outpost. ' +
        "Write the callback's path without host, e.g. /login/callback.",
    ],
  },
  {
    title: "a port out of range",
    raw: stack({ protected_services: [proxy({ service: { port: 70000 } })] }),
    lines: [
      'protected_services[0].service.port "wiki": found 70000, expected a whole number from 1 to 65535. Use a number in that range.',
    ],
  },
  {
    title: "groups that are not a list",
    raw: stack({ protected_services: [proxy({ groups: "staff" })] }),
    lines: ['protected_services[0].groups "wiki": found text, expected a list. Write a list, e.g. [one, two].'],
  },
  {
    title: "a name too long for its test environment",
    raw: stack({ protected_services: [proxy({ name: "a".repeat(60) })] }),
    lines: [
      'protected_services[0] "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": its test environment\'s host "whoami-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.localhost" has a label of more than 63 characters. Rename the service, or set test_environments: { enabled: false }.',
    ],
  },
];

describe("A wrong entry of protected_services", () => {
  test.each(cases)("is reported: $title", ({ raw, lines }) => {
    expect(messageOf(() => parseStack(raw, shell))).toBe(report(lines));
  });
});
