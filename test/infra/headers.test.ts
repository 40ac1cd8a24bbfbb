import { expect, test } from "vitest";
import { AUTHENTIK_HEADERS, IDENTITY_HEADERS, identityHeaderSpellings } from "../../infra/identity/headers.ts";

/** Those of the real authentik (`getHeaders` of its outpost, 2026.5.0-rc1). */
const AUTHENTIK = [
  "X-authentik-username",
  "X-authentik-groups",
  "X-authentik-entitlements",
  "X-authentik-email",
  "X-authentik-name",
  "X-authentik-uid",
  "X-authentik-jwt",
  "X-authentik-meta-jwks",
  "X-authentik-meta-outpost",
  "X-authentik-meta-provider",
  "X-authentik-meta-app",
  "X-authentik-meta-version",
];

test("lists every name that a server can fold into an identity header, of ours or of authentik", () => {
  const folded = (name: string) => name.replaceAll(/[-_.]/g, "-");
  const spellings = identityHeaderSpellings();
  // 3 separators at 2 places in 6 + 7 names, and the 5 that identify no user.
  expect([spellings.length, new Set(spellings).size]).toEqual([122, 122]);
  expect(new Set(spellings.map(folded))).toEqual(new Set([...IDENTITY_HEADERS, ...AUTHENTIK]));
  expect(AUTHENTIK_HEADERS).toEqual(AUTHENTIK);
});
