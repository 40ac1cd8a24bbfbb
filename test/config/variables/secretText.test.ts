import fc from "fast-check";
import { expect, test } from "vitest";
import { filledIn } from "../../../config/variables/secretText.ts";

test("does not replace a reference inside a value", () => {
  const text = { template: "${A} and ${B}", variables: ["A", "B"] };
  expect(filledIn(text, (name) => ({ A: "a${B}$&", B: "b${A}" })[name] ?? "")).toBe("a${B}$& and b${A}");
});

test("replaces only the references of the template, for any values", () => {
  const part = fc.string().filter((literal) => !literal.includes("$"));
  fc.assert(
    fc.property(part, part, fc.string(), fc.string(), (before, between, a, b) => {
      const text = { template: `${before}\${A}${between}\${B}`, variables: ["A", "B"] };
      expect(filledIn(text, (name) => (name === "A" ? a : b))).toBe(before + a + between + b);
    }),
  );
});

test("keeps a reference that is not a variable of the text", () => {
  expect(filledIn({ template: "${A}${C}", variables: ["A"] }, () => "a")).toBe("a${C}");
});
