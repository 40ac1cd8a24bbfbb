import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, test } from "vitest";
import { parseStack } from "../../config/load.ts";
import { loadStack } from "../../config/stack.ts";
import { messageOf, shell, stack } from "./stacks.ts";

/** Gives the SDK a configuration as the engine does: text and JSON, and the keys of what is secret. */
function configure(config: Record<string, unknown>, secretKeys: string[] = []): void {
  const texts = Object.entries(config).map(([key, value]) => [
    key,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  pulumi.runtime.setAllConfig(Object.fromEntries(texts) as Record<string, string>, secretKeys);
}

const raw = stack();
const values = Object.fromEntries(
  Object.entries(raw.config).flatMap(([key, entry]) => ("value" in entry ? [[key, entry.value]] : [])),
) as Record<string, unknown>;

describe("loadStack", () => {
  beforeEach(() => {
    Object.assign(process.env, shell);
    return () => {
      for (const name of Object.keys(shell)) Reflect.deleteProperty(process.env, name);
    };
  });

  test("returns the same settings as parseStack", () => {
    configure({ ...values, "kubernetes:context": "rancher-desktop" });
    const settings = loadStack();
    const named = { ...raw, config: { ...raw.config, "kubernetes:context": { value: "rancher-desktop" } } };
    expect(settings).toEqual({ ...parseStack(named, shell), stack: pulumi.getStack() });
  });

  test("accepts a secret variable without reading its value", () => {
    delete process.env["TOKEN"];
    configure({ ...values, "variables:TOKEN": "hunter2" }, ["variables:TOKEN"]);
    expect(JSON.stringify(loadStack())).not.toContain("hunter2");
  });

  test("rejects a secret inside a section", () => {
    configure(values, ["gatehouse:postgres"]);
    expect(messageOf(loadStack)).toBe(
      `Pulumi.${pulumi.getStack()}.yaml: 1 problem\n` +
        '  postgres: found an encrypted value. Write "${NAME}" instead, and run: pulumi config set --secret variables:NAME',
    );
  });

  test("throws an error that Pulumi prints without a stack trace", () => {
    configure({ ...values, "gatehouse:domains": "all" });
    let thrown: unknown;
    try {
      loadStack();
    } catch (error) {
      thrown = error;
    }
    expect(pulumi.RunError.isInstance(thrown)).toBe(true);
  });
});
