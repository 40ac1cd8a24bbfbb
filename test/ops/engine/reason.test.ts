import { expect, test } from "vitest";
import { reasonOf } from "../../../ops/engine/reason.ts";

test("of all that a command of the engine printed, its errors are the reason", () => {
  const message = [
    "code: -2",
    " stdout: ",
    " stderr: Command failed with exit code 1: /opt/pulumi preview --stack dev",
    "error: 2 errors occurred:",
    "    1) could not find the plugin",
    "    2) no analyzer found",
    "Previewing update (dev):",
    "    something: else",
    " err?: Error: Command failed with exit code 1",
  ].join("\n");
  expect(reasonOf(new Error(message))).toBe("2 errors occurred:\n1) could not find the plugin\n2) no analyzer found");
});

test("one that stands right behind the stream's name is found as well", () => {
  const message = "code: 255\n stdout: \n stderr: error: incorrect passphrase\n\n err?: ";
  expect(reasonOf(new Error(message))).toBe("incorrect passphrase");
});

test("any other error speaks for itself, without colours", () => {
  expect(reasonOf(new Error("\u001b[31mno network\u001b[0m\n"))).toBe("no network");
  expect(reasonOf("no network")).toBe("no network");
});
