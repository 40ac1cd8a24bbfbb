import { expect, test } from "vitest";
import { nextCommands } from "../../../ops/deployment/outcome.ts";

test("names the commands that follow a failure, with the cluster as an argument of a shell", () => {
  expect(nextCommands("failed", "k3s-prod", true)).toEqual([
    "npx gatehouse diagnose k3s-prod",
    "npx gatehouse deploy k3s-prod --refresh",
  ]);
  expect(nextCommands("unverified", "k3s (prod)", false)).toEqual([
    "npx gatehouse diagnose 'k3s (prod)'",
    "npx gatehouse verify 'k3s (prod)'",
  ]);
  expect(nextCommands("deployed", "k3s-prod", false)).toEqual([]);
});
