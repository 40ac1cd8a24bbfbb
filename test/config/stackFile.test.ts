import { describe, expect, test } from "vitest";
import { parseConfig } from "../../config/stackFile.ts";
import { messageOf } from "./stacks.ts";
import { NOT_STACK_FILES } from "./wrong-files.ts";

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
    expect(parseConfig("config:\n  a: &a [x]\n  b: *a\n", "Pulumi.dev.yaml")).toEqual({ a: ["x"], b: ["x"] });
  });

  test.each(["{}\n", "encryptionsalt: v1:x\n", "config:\n"])("returns no settings for %j", (text) => {
    expect(parseConfig(text, "Pulumi.dev.yaml")).toEqual({});
  });
});
