import { expect, test } from "vitest";
import { IDENTITY_HEADERS, identityHeaderSpellings } from "../../infra/identity/headers.ts";

test("lists every name that a server can fold into one of the six", () => {
  const folded = (name: string) => name.replaceAll(/[-_.]/g, "-");
  const spellings = identityHeaderSpellings();
  expect([spellings.length, new Set(spellings).size]).toEqual([54, 54]);
  expect(new Set(spellings.map(folded))).toEqual(new Set(IDENTITY_HEADERS));
});
