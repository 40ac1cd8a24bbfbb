import { describe, expect, test } from "vitest";
import { PATIENCE } from "../../helpers/program.ts";
import { imageDigests } from "../../../policy/rules/imageDigests.ts";
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

  for (const stack of ["dev", "local", "production"]) {
    test(`accepts the digest of every image that ${stack} runs without a warning`, { timeout: PATIENCE }, async () => {
      const withImages = (images: object) => programOf(stack, { "gatehouse:images": { value: images } });
      const { resources, facts } = await withImages({ required: true });
      const found = imageDigests
        .check(resources, facts)
        .flatMap(({ message }) => / (\S+) by a tag/.exec(message)?.[1] ?? []);
      expect(found.length).toBeGreaterThan(4);
      const digests = Object.fromEntries(found.map((image) => [image, `sha256:${"1".repeat(64)}`]));
      const { facts: digested } = await withImages({ required: true, digests });
      expect(digested.plan.warnings.filter((warning) => warning.startsWith("images."))).toEqual([]);
    });
  }
});
