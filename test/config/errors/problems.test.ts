import { expect, test } from "vitest";
import { ConfigError } from "../../../config/errors/problems.ts";

test("throws an error without frames, which Pulumi recognizes as its own", () => {
  const error = new ConfigError("Pulumi.dev.yaml", [{ path: "domains", message: "a message", hint: "a hint" }]);
  expect(error.stack).toBe("ConfigError: Pulumi.dev.yaml: 1 problem\n  domains: a message. A hint.");
  expect(error.__pulumiRunError).toBe(true);
});
