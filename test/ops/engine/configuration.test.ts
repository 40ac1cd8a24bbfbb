import { UserError } from "../../../config/errors/userError.ts";
import { expect, test } from "vitest";
import type { StackValues } from "../../../ops/context/context.ts";
import { decryptedConfig, otherConfiguration } from "../../../ops/engine/configuration.ts";

const FILE = {
  "gatehouse:domains": { localhost: { enabled: true }, mesh: { port: 17670 } },
  "gatehouse:data_api": { schemas: { deprecated: { api_v0: { since: "2026-01-01" } } } },
  "kubernetes:context": "prod",
};
const values = (local = false): StackValues => {
  const config = Object.fromEntries(Object.entries(FILE).map(([key, value]) => [key, { value }]));
  return { stack: "prod", local, raw: { stack: "prod", config } } as unknown as StackValues;
};
/** The engine's view of the file, with other sections. */
const engine = (changes: Record<string, unknown> = {}) =>
  Object.fromEntries(
    Object.entries({ ...FILE, ...changes }).map(([key, value]) => [key, { value: JSON.stringify(value) }]),
  );
const problem = (key: string): string =>
  `${key}: Pulumi reads another value than Pulumi.prod.yaml states to the checks. ` +
  "Write it as plain YAML, once, and put texts that look like numbers or dates in quotes.";

test("accepts the same values, with dates as the engine prints them", () => {
  expect(otherConfiguration(values(), engine())).toEqual([]);
  const dated = { schemas: { deprecated: { api_v0: { since: "2026-01-01 00:00:00 +0000 UTC" } } } };
  expect(otherConfiguration(values(), engine({ "gatehouse:data_api": dated }))).toEqual([]);
});

test("names each section that the engine reads otherwise, that it adds, and that it lacks", () => {
  const domains = { localhost: { enabled: true }, mesh: { port: 8120 } };
  const changed = engine({ "gatehouse:domains": domains, "gatehouse:protected_services": [] });
  delete changed["gatehouse:data_api"];
  expect(otherConfiguration(values(), changed)).toEqual(
    ["gatehouse:data_api", "gatehouse:domains", "gatehouse:protected_services"].map(problem),
  );
  expect(otherConfiguration(values(true), changed)).toEqual([]);
});

test("names the stack and the fix when its secrets cannot be decrypted", async () => {
  const stack = { getAllConfig: () => Promise.reject(new Error("code: 255\n stderr: error: incorrect passphrase\n")) };
  await expect(decryptedConfig({ stack: "prod" }, stack)).rejects.toThrow(
    new UserError(
      'the secrets of stack "prod" cannot be read: incorrect passphrase',
      "set PULUMI_CONFIG_PASSPHRASE, or sign in to the service that stores the key",
    ),
  );
});
