import { compareSync, getRounds } from "bcryptjs";
import { describe, expect, test } from "vitest";
import { htpasswdLine } from "../../infra/gateway/basicAuth.ts";

const hashOf = (line: string) => line.slice("ops:".length);

describe("a line of htpasswd", () => {
  const line = htpasswdLine("ops", "correct horse", "dev/legacy");

  test("is the user's name and a bcrypt hash", () => {
    expect(line).toMatch(/^ops:\$2b\$08\$[./\w]{53}$/);
  });

  test.each([
    [8, 31],
    [4, 32],
    [4, 48],
  ])("has cost %i for a password of %i characters", (cost, length) => {
    const password = "é".repeat(length);
    const hash = hashOf(htpasswdLine("ops", password, "dev/legacy"));
    expect([getRounds(hash), compareSync(password, hash)]).toEqual([cost, true]);
  });

  test("verifies the password and rejects others", () => {
    expect([compareSync("correct horse", hashOf(line)), compareSync("battery", hashOf(line))]).toEqual([true, false]);
  });

  test("is the same in every deployment", () => {
    expect(htpasswdLine("ops", "correct horse", "dev/legacy")).toBe(line);
  });

  test("shares no salt with another stack or service", () => {
    const owners = ["dev/legacy", "dev/other", "prod/legacy"];
    const salts = owners.map((owner) => hashOf(htpasswdLine("ops", "correct horse", owner)).slice(0, 29));
    expect(new Set(salts).size).toBe(3);
  });

  test("has a salt that does not depend on the password, so that each guess costs one bcrypt", () => {
    expect(hashOf(htpasswdLine("ops", "battery", "dev/legacy")).slice(0, 29)).toBe(hashOf(line).slice(0, 29));
  });
});
