import { expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { basic, proxy, sections, shell, stack } from "../stacks.ts";

const EXISTING = { install: false, url: "https://sso.example.org", token: "${TOKEN}" };
const external = { enabled: true, base_domain: "example.org" };
const mesh = { enabled: true, base_domain: "mesh.example.org" };
const partner = { ...external, base_domain: "partner.example.net", protocol: "https", description: "Partners" };

/** The warnings about the identity provider. @param provider replaces fields of the section */
function warnings(provider: Record<string, unknown>, domains: object = { localhost: {} }): string[] {
  const base = provider["install"] === false ? {} : sections.identity_provider;
  const raw = stack({ domains, identity_provider: { ...base, ...provider }, protected_services: [] });
  return parseStack(raw, shell).warnings.filter((warning) => warning.startsWith("identity_provider"));
}

test.each<[object, string, string]>([
  [{ localhost: {}, external }, "localhost", "external"],
  [{ localhost: {}, mesh }, "localhost", "mesh"],
  [{ localhost: { enabled: false }, mesh, external, partner }, "mesh", "external"],
  [{ mesh, partner }, "mesh", "partner"],
])("warns of a sign-in domain that not all users reach, if it is not set: %#", (domains, first, reachable) => {
  expect(warnings({}, domains)).toEqual([
    `identity_provider.domain: not set, so that users of every domain sign in on "${first}", the first enabled one. ` +
      `Set it to a domain that all users reach, such as "${reachable}", or to "${first}".`,
  ]);
  expect(warnings({ domain: first }, domains)).toEqual([]);
  expect(warnings(EXISTING, domains)).toEqual([]);
});

test("does not warn of the sign-in domain if the first enabled one is the only one, or reachable", () => {
  expect(warnings({}, { localhost: {}, external: { ...external, enabled: false } })).toEqual([]);
  expect(warnings({}, { external, partner })).toEqual([]);
});

test("warns of a session that is longer than the one at an installed authentik, which ends it", () => {
  const raw = (provider: object) =>
    stack({
      identity_provider: provider,
      protected_services: [proxy({ session: "days=7" }), basic({})],
      data_api: undefined,
    });
  const installed = parseStack(raw(sections.identity_provider), shell).warnings;
  expect(installed).toEqual([
    'protected_services[0] "wiki".session: days=7 is longer than identity_provider.session (hours=12): the session ends with that at authentik. ' +
      "Set identity_provider.session to the longest session.",
  ]);
  expect(parseStack(raw({ ...sections.identity_provider, session: "days=7" }), shell).warnings).toEqual([]);
  expect(parseStack(raw(EXISTING), shell).warnings).toEqual([]);
});

test.each([
  "http://sso.example.org:9000",
  "http://203.0.113.7:9000",
  "http://[2001:db8::7]:9000",
  "http://auth.svc.example.org",
])("warns of an existing identity provider without TLS at %s", (url) => {
  expect(warnings({ ...EXISTING, url })).toEqual([
    "identity_provider.url: http sends passwords, sessions and tokens unencrypted. Use an https address.",
  ]);
  expect(warnings({ ...EXISTING, api_url: url })).toEqual([
    "identity_provider.api_url: http sends the token unencrypted. Use an https address.",
  ]);
});

test.each([
  "https://sso.example.org",
  "http://localhost:9000",
  "http://authentik.localhost",
  "http://authentik-server",
  "http://authentik-server.authentik.svc:9000",
  "http://authentik-server.authentik.svc.cluster.local",
  "http://10.43.0.7:9000",
  "http://[fd00::7]:9000",
  "http://100.100.1.7:9000",
  "http://sso.tail1234.ts.net",
])("accepts %s without a warning", (url) => {
  expect(warnings({ ...EXISTING, url, api_url: url })).toEqual([]);
});
