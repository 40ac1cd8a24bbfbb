import { expect, test } from "vitest";
import { addEntry } from "../../../../ops/checks/contract/changelog.ts";
import { compare } from "../../../../ops/checks/contract/compare.ts";
import { contractOf } from "./contracts.ts";

const FIRST = contractOf({ kommuner: { kommune_nr: "text not null", folk: "integer" }, old: { a: "text" } });
const SECOND = contractOf({
  kommuner: { kommune_nr: "text", folk: "bigint", areal: "numeric" },
  summary: { n: "bigint" },
});

test("writes the size of the first version, then breaking changes with the reason, additions and other changes, newest first", () => {
  const first = { day: "2026-11-30", schema: "api_v1", changes: undefined, found: FIRST, reason: undefined };
  const second = {
    day: "2026-12-24",
    schema: "api_v1",
    changes: compare(FIRST, SECOND),
    found: SECOND,
    reason: "  no client used it,\n\n# asked on the list ",
  };
  expect(addEntry(addEntry("", "dev", first), "dev", second)).toBe(`# Changelog of the data API (dev)

## 2026-12-24, api_v1

Breaking: no client used it, # asked on the list

- \`kommuner.kommune_nr\`: text not null → text (may be null)
- \`old\`: 1 column (removed)

Added

- \`kommuner.areal\`: numeric (added)
- \`summary\`: 1 column (added)

Changed

- \`kommuner.folk\`: integer → bigint (wider type)

## 2026-11-30, api_v1

First version: relations 2, columns 3.
`);
});

test("keeps existing text below the new entry", () => {
  const entry = { day: "2026-11-30", schema: "api_v1", changes: undefined, found: FIRST, reason: undefined };
  expect(addEntry("Notes\n", "dev", entry)).toBe(
    "# Changelog of the data API (dev)\n\n## 2026-11-30, api_v1\n\nFirst version: relations 2, columns 3.\n\nNotes\n",
  );
});

test("keeps the text below a title without entries above the first entry", () => {
  const entry = { day: "2026-11-30", schema: "api_v1", changes: undefined, found: FIRST, reason: undefined };
  expect(addEntry("# Title\n\nAsk us.\n", "dev", entry)).toBe(
    "# Title\n\nAsk us.\n\n## 2026-11-30, api_v1\n\nFirst version: relations 2, columns 3.\n",
  );
});

test.each([
  ["an edited title", "# Endringslogg\n", "# Endringslogg\n\nENTRY\nOLD"],
  ["a text below the title", "# Title\n\nAsk us.\n", "# Title\n\nAsk us.\n\nENTRY\nOLD"],
  ["line ends of Windows", "# Title\r\n", "# Title\n\nENTRY\nOLD"],
])("keeps %s", (_, above, expected) => {
  const entry = { day: "2026-11-30", schema: "api_v1", changes: undefined, found: FIRST, reason: undefined };
  const written = "## 2026-11-30, api_v1\n\nFirst version: relations 2, columns 3.\n";
  const older = "## 2026-10-01, api_v1\n\nFirst version: relations 1, columns 1.\n";
  const newLine = above.includes("\r") ? "\r\n" : "\n";
  const text = `${above}\n${older}`.replaceAll(/\r?\n/g, newLine);
  expect(addEntry(text, "dev", entry)).toBe(expected.replace("ENTRY", written).replace("OLD", older));
});

test("writes the reason for the removal of a contract without relations", () => {
  const found = { schema: "api_v1", relations: new Map<string, never>() };
  expect(addEntry("", "dev", { day: "2026-12-24", schema: "api_v1", changes: [], found, reason: "unused" })).toBe(
    "# Changelog of the data API (dev)\n\n## 2026-12-24, api_v1\n\nBreaking: unused\n\nRemoved: the contract had no relations.\n",
  );
});
