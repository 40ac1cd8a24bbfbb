import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          // Nothing here outlives a test, so the workers keep their modules: half of the time would go into loading them again.
          pool: "threads",
          isolate: false,
          include: ["test/**/*.test.ts"],
          exclude: [
            "test/e2e/**",
            "test/domains/**",
            "test/data/**",
            "test/cluster/**",
            "test/**/*.live.test.ts",
            "node_modules/**",
          ],
          // None takes a second by itself; beside the other projects on two cores, some wait for their turn.
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: "live",
          include: ["test/**/*.live.test.ts"],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          globalSetup: ["test/e2e/platform.ts"],
          testTimeout: 300_000,
          hookTimeout: 600_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "domains",
          include: ["test/domains/**/*.test.ts"],
          globalSetup: ["test/domains/platform.ts"],
          testTimeout: 300_000,
          hookTimeout: 600_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: "data",
          include: ["test/data/**/*.test.ts"],
          globalSetup: ["test/data/platform.ts"],
          testTimeout: 300_000,
          hookTimeout: 600_000,
          fileParallelism: false,
          // Beside two other platforms on two cores, a browser has once been too late; what is wrong is wrong each time.
          retry: 1,
        },
      },
    ],
  },
});
