import { scryptSync } from "node:crypto";
import { expect, test } from "vitest";
import { hashPassword, passwordMatches } from "../../authentik/users.ts";

type User = NonNullable<Parameters<typeof passwordMatches>[0]>;
const user = (password: string, is_active = true): User => ({ is_active, password }) as User;

test.each([
  ["the user's", user(hashPassword("right")), "right", true],
  ["another one", user(hashPassword("right")), "wrong", false],
  ["that of an inactive user", user(hashPassword("right"), false), "right", false],
  ["one for a user without any", user(""), "", false],
  ["one for no user", undefined, "right", false],
  [
    "the user's, with a hash of an earlier version, of the default cost",
    user(`salt:${scryptSync("right", "salt", 32).toString("hex")}`),
    "right",
    true,
  ],
])("a password: %s", (_, owner, password, expected) => {
  expect(passwordMatches(owner, password)).toBe(expected);
});
