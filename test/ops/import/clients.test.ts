/** OpenID Connect clients of authentik, for routes without authentication. */
import { expect, test } from "vitest";
import { imported, proxies, reasonsOf, route, rule, service, withClient } from "./cluster.ts";

const WIKI = "wiki.example.org";
const ROUTES = [service("apps/wiki"), route("apps/old", [rule(`Host(\`${WIKI}\`)`, "wiki")])];
const strict = (...urls: readonly string[]) => urls.map((url) => ({ url, matching_mode: "strict" }));

test("refuses a client with an authentication flow, which the new one does not have", () => {
  const identity = withClient(proxies(), "wiki", `http://${WIKI}/callback`, { authentication_flow: "mfa" });
  const found = imported(ROUTES, { identity });
  expect([found.entries, reasonsOf(found)]).toEqual([
    [],
    { [`Host(\`${WIKI}\`)`]: ['its provider "wiki" of authentik has an authentication flow'] },
  ]);
});

test("lists the redirect URIs that are not on the hosts of the entry", () => {
  const local = "wiki.localhost";
  const uris = strict(
    `http://${WIKI}/callback`,
    `http://${local}/callback`,
    "myapp://callback",
    "https://wiki.example.net/callback",
  );
  const identity = withClient(proxies(), "wiki", "", { redirect_uris: uris });
  const one = imported(ROUTES, { identity });
  expect(one.differences.get(WIKI)).toEqual([
    `other redirect URIs (http://${local}/callback, myapp://callback, https://wiki.example.net/callback) are not part of the new client`,
  ]);
  const both = imported([...ROUTES, route("apps/local", [rule(`Host(\`${local}\`)`, "wiki")])], { identity });
  const line =
    "other redirect URIs (myapp://callback, https://wiki.example.net/callback) are not part of the new client";
  expect(Object.fromEntries(both.differences)).toEqual({ [WIKI]: [line], [local]: [line] });
});
