import fc from "fast-check";
import { expect, test } from "vitest";
import { filledIn } from "../../config/secretText.ts";

test("a value that contains a reference stays as it is", () => {
  const text = { template: "${A} and ${B}", variables: ["A", "B"] };
  expect(filledIn(text, (name) => ({ A: "a${B}$&", B: "b${A}" })[name] ?? "")).toBe("a${B}$& and b${A}");
});

test("whatever the values are, only the references of the template are replaced", () => {
  const part = fc.string().filter((literal) => !literal.includes("$"));
  fc.assert(
    fc.property(part, part, fc.string(), fc.string(), (before, between, a, b) => {
      const text = { template: `${before}\${A}${between}\${B}`, variables: ["A", "B"] };
      expect(filledIn(text, (name) => (name === "A" ? a : b))).toBe(before + a + between + b);
    }),
  );
});

test("a reference that is no variable of the text stays", () => {
  expect(filledIn({ template: "${A}${C}", variables: ["A"] }, () => "a")).toBe("a${C}");
});
