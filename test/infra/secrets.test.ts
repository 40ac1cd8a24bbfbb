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

test.each(["value\n", "value\r", " value"])("refuses %j, which authentik stores without white space", (value) => {
  expect(() => fillSecret({ template: "${NAME}", variables: ["NAME"] }, [value])).toThrow(
    "the value of ${NAME} begins or ends with white space, e.g. a line break of a file. Remove it, and change a password that has it: pulumi config set --secret variables:NAME",
  );
});

test("accepts white space within", () => {
  expect(fillSecret(TEXT, ["two words"])).toBe("a-two words");
});
