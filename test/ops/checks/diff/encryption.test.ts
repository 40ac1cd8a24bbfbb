import { expect, test } from "vitest";
import { accessOf } from "../../../../infra/access/access.ts";
import type { Access } from "../../../../infra/access/facts.ts";
import { compareAccess } from "../../../../ops/checks/diff/diff.ts";

const encrypted = (value: string): Access => {
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
  ["verify-full, certificate 1f", "verify-full, certificate 2e", "other"],
])("ranks a change of sslmode from %s to %s as %s", (before, after, effect) => {
  const changes = compareAccess(encrypted(before), encrypted(after));
  expect(changes.map((one) => [one.effect, one.implied])).toEqual([[effect, false]]);
});
