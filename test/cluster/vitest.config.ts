import { defineConfig } from "vitest/config";

/** Run by `npm run test:cluster` inside of its namespaces, see main.ts. */
export default defineConfig({
  test: {
    include: ["test/cluster/**/*.test.ts"],
    globalSetup: ["test/cluster/setup.ts"],
    reporters: ["verbose"],
    // Each wait has its own limit.
    testTimeout: 3_600_000,
    hookTimeout: 120_000,
    teardownTimeout: 60_000,
    // Each step needs what the one before it left.
    fileParallelism: false,
    bail: 1,
  },
});
