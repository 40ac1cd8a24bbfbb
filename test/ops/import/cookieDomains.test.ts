import { expect, test } from "vitest";
import { authentik, imported, proxies, reasonsOf, route, rule, service } from "./cluster.ts";

/** Imports a host behind providers of mode `forward_domain`, each with a group of its name. */
function importedWith(host: string, domains: Readonly<Record<string, string>>) {
  const providers = Object.entries(domains).map(([slug, cookie_domain]) => ({
    slug,
    host: `${slug}.example.net`,
    groups: [slug],
    provider: { mode: "forward_domain", cookie_domain },
  }));
  const routes = route("apps/old", [rule(`Host(\`${host}\`)`, "web", ["sso"])]);
  return imported([service("apps/web"), authentik("apps/sso"), routes], { identity: proxies(...providers) });
}

// The outpost removes a leading dot, and compares the end of the host (authentik, internal/outpost/proxyv2/handlers.go).
test.each([
  ["with a leading dot", "x.example.org", ".example.org"],
  ["that ends in the middle of a label", "my-apps.example.org", "apps.example.org"],
  ["that is the host", "apps.example.org", ".apps.example.org"],
])("imports a host with the groups of a cookie domain %s", (_, host, admins) => {
  expect(importedWith(host, { admins }).entries.map(({ fields }) => fields["groups"])).toEqual([["admins"]]);
});

test("imports a host with the groups of the provider that has it as external host", () => {
  const found = importedWith("admins.example.net", { admins: "example.com", staff: "example.net" });
  expect(found.entries.map(({ fields }) => fields["groups"])).toEqual([["admins"]]);
});

test.each([
  ["x.apps.example.org", ".apps.example.org"],
  ["my-apps.example.org", "apps.example.org"],
])("refuses %s with the cookie domains %s and example.org", (host, admins) => {
  const found = importedWith(host, { admins, staff: "example.org" });
  expect([found.entries, reasonsOf(found)]).toEqual([
    [],
    { [`Host(\`${host}\`)`]: ["authentik has several proxy providers for its host"] },
  ]);
});
