import { afterAll, describe, expect, test, vi } from "vitest";

// Workers keep their modules, and with them the real waiting of files that ran before; nothing answers here.
vi.resetModules();
vi.doMock("../../infra/identity/readiness.ts", () => ({ waitUntilReady: () => Promise.resolve() }));
vi.doMock("../../infra/postgres/readiness.ts", () => ({ waitUntilAnswers: () => Promise.resolve() }));
vi.doMock("../../infra/prerequisites/cluster.ts", () => ({ clusterFacts: () => Promise.resolve(undefined) }));
afterAll(() => void vi.resetModules());
const { PATIENCE } = await import("../helpers/program.ts");
const { findingsOf, programOf } = await import("./program.ts");

describe("every example passes the policy pack", () => {
  for (const stack of ["dev", "local", "production", ".github/k3d/k3d"]) {
    test(stack, { timeout: PATIENCE }, async () => {
      const program = await programOf(stack);
      expect(program.resources.length).toBeGreaterThan(50);
      expect(findingsOf(program)).toEqual([]);
    });
  }

  test("the example for production requires every digest that it contains", { timeout: PATIENCE }, async () => {
    const program = await programOf("production", { "gatehouse:images": { value: {} } });
    const found = new Set(findingsOf(program).map((finding) => finding.split(":")[0]));
    expect([...found]).toEqual(["images-state-digests"]);
  });
});
