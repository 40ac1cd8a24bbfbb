import { expect, test } from "vitest";
import { IDENTITY_HEADERS, identityHeaderSpellings } from "../../infra/identity/headers.ts";

test("every name that a server could fold into one of the six is known", () => {
  const folded = (name: string) => name.replaceAll(/[-_.]/g, "-");
  const spellings = identityHeaderSpellings();
  expect([spellings.length, new Set(spellings).size]).toEqual([54, 54]);
  expect(new Set(spellings.map(folded))).toEqual(new Set(IDENTITY_HEADERS));
});
