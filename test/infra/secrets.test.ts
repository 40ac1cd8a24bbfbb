import { expect, test } from "vitest";
import { fillSecret } from "../../infra/secrets.ts";

const TEXT = { template: "a-${NAME}", variables: ["NAME"] };

test("fills in the variable of a secret field", () => {
  expect(fillSecret(TEXT, ["value"])).toBe("a-value");
});

test("refuses an empty one, which would be the password of a basic service", () => {
  expect(() => fillSecret(TEXT, [""])).toThrow(
    'template variable "NAME" is not set, or empty; run: pulumi config set --secret variables:NAME',
  );
});
