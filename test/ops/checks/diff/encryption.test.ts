import { expect, test } from "vitest";
import { accessOf } from "../../../../infra/access/access.ts";
import type { AccessFacts } from "../../../../infra/access/facts.ts";
import { compareAccess, sentenceOf } from "../../../../ops/checks/diff/diff.ts";
import { render } from "../../../../ops/checks/diff/phrases.ts";

const encrypted = (value: string): AccessFacts => {
  const server = { value: "postgres@db.example.org:5432" };
  const setting = new Map([
    ["database server", server],
    ["encryption to the database server", { value }],
  ]);
  return { ...accessOf(undefined), setting };
};

test.each([
  ["verify-full, certificate 1f", "verify-ca, certificate 1f", "more"],
  ["verify-ca, certificate 1f", "require", "more"],
  ["require", "disable", "more"],
  ["disable", "verify-full, certificate 1f", "less"],
  // The CA of the other root certificate can sign a certificate for another server.
  ["verify-full, certificate 1f", "verify-full, certificate 2e", "more"],
  ["verify-ca, certificate 1f", "verify-full, certificate 2e", "more"],
])("ranks a change of the encryption from %s to %s as %s", (before, after, effect) => {
  const changes = compareAccess(encrypted(before), encrypted(after));
  expect(changes.map((one) => [one.effect, one.implied])).toEqual([[effect, false]]);
});

test("names the root certificate if only that changes", () => {
  const [change] = compareAccess(encrypted("verify-full, certificate 1f"), encrypted("verify-full, certificate 2e"));
  expect(change && render(sentenceOf(change))).toBe("trusts the root certificate 2e instead of 1f");
});
