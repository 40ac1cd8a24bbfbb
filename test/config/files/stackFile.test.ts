import { describe, expect, test } from "vitest";
import { parseConfig } from "../../../config/files/stackFile.ts";
import { messageOf } from "../stacks.ts";
import { NOT_STACK_FILES } from "./wrongFiles.ts";

const problem = (text: string): string => messageOf(() => parseConfig(text, "Pulumi.dev.yaml"));

describe("parseConfig", () => {
  test.each(NOT_STACK_FILES)("refuses $name", ({ content, problem: expected }) => {
    expect(problem(content.toString())).toBe(`Pulumi.dev.yaml: 1 problem\n  Pulumi.dev.yaml: ${expected}`);
  });

  test("refuses a config that is a list", () => {
    expect(problem("config: [1]\n")).toBe(
      "Pulumi.dev.yaml: 1 problem\n  config: is a list. Write one key for each setting, e.g. gatehouse:domains.",
    );
  });

  test("refuses an environment of Pulumi ESC, which no check reads", () => {
    expect(problem("environment: [production]\nconfig: {}\n")).toBe(
      "Pulumi.dev.yaml: 1 problem\n  environment: adds configuration from elsewhere. Write the settings below config: no preview of access reads an environment of Pulumi ESC.",
    );
  });

  test("does not repeat a secret that YAML takes for an alias", () => {
    expect(problem("config:\n  variables:A: *hunter2\n")).not.toContain("hunter2");
  });

  test("returns the values of aliases", () => {
    const text = "config:\n  x:a: &a [x]\n  x:b: *a\n";
    expect(parseConfig(text, "Pulumi.dev.yaml")).toEqual({ "x:a": ["x"], "x:b": ["x"] });
  });

  // The engine deployed each of these, and no check read them (run with Pulumi 3.250.0).
  test.each([
    [
      "config:\n  protected_services: []\n",
      "protected_services",
      "is not written NAMESPACE:NAME. Write it like gatehouse:protected_services, or remove it.",
    ],
    [
      "config:\n  gatehouse:config:domains: {}\n",
      "gatehouse:config:domains",
      "is not written NAMESPACE:NAME. Write it like gatehouse:domains, or remove it.",
    ],
    [
      "config:\n  <<: { gatehouse:domains: {} }\n",
      "Pulumi.dev.yaml",
      "has a merge key << (line 2). Write the values instead of the merge key.",
    ],
    [
      "<<: { environment: [x] }\n",
      "Pulumi.dev.yaml",
      "has a merge key << (line 1). Write the values instead of the merge key.",
    ],
    [
      "config:\n  gatehouse:a: { port: 017670 }\n",
      "Pulumi.dev.yaml",
      "has a number that YAML 1.1 and 1.2 read as different ones (line 2). Write it in decimal digits without leading zeros, or put it in quotes.",
    ],
    [
      "config:\n  gatehouse:a: { port: 8_080 }\n",
      "Pulumi.dev.yaml",
      "has a number that YAML 1.1 and 1.2 read as different ones (line 2). Write it in decimal digits without leading zeros, or put it in quotes.",
    ],
    [
      'config:\n  gatehouse:a: { port: !!int "017" }\n',
      "Pulumi.dev.yaml",
      "has a tag (line 2). Remove the tag; put a text in quotes.",
    ],
  ])("refuses %j, which the engine reads otherwise", (text, path, expected) => {
    expect(problem(text)).toBe(`Pulumi.dev.yaml: 1 problem\n  ${path}: ${expected}`);
  });

  test("accepts numbers and texts that every parser reads alike", () => {
    const text =
      'config:\n  gatehouse:a: { a: 0, b: -5, c: 1.50, d: "017", e: 3.7.13, f: 2026-01-01, g: 10Gi, h: 1e3 }\n';
    expect(parseConfig(text, "Pulumi.dev.yaml")).toEqual({
      "gatehouse:a": { a: 0, b: -5, c: 1.5, d: "017", e: "3.7.13", f: "2026-01-01", g: "10Gi", h: 1000 },
    });
  });

  test.each(["{}\n", "encryptionsalt: v1:x\n", "config:\n"])("returns no settings for %j", (text) => {
    expect(parseConfig(text, "Pulumi.dev.yaml")).toEqual({});
  });
});
