import { describe, expect, test } from "vitest";
import { PATIENCE } from "../../helpers/program.ts";
import { findingsOf, programOf } from "./program.ts";

describe("the policy pack", () => {
  for (const stack of ["dev", "local", "production", ".github/k3d/k3d"]) {
    test(`accepts ${stack}`, { timeout: PATIENCE }, async () => {
      const program = await programOf(stack);
      expect(program.resources.length).toBeGreaterThan(50);
      expect(findingsOf(program)).toEqual([]);
    });
  }

  test(
    "reports only images-state-digests for the production example without gatehouse:images",
    { timeout: PATIENCE },
    async () => {
      const program = await programOf("production", { "gatehouse:images": { value: {} } });
      const found = new Set(findingsOf(program).map((finding) => finding.split(":")[0]));
      expect([...found]).toEqual(["images-state-digests"]);
    },
  );
});
