import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";

/** Tests of test/e2e that each start a platform. The others share the one of test/e2e/platform.ts. */
const OWN_PLATFORM = ["diagnose", "import", "lifecycle"].map((name) => `test/e2e/${name}.test.ts`);

/**
 * Long enough on a machine that is busy with other things: a test that hangs ends, a slow one does not. No `retry`: a test that fails once has a
 * race, or the product has, and it prints what it saw.
 */
const PATIENT = {
  testTimeout: 600_000,
  hookTimeout: 900_000,
  setupFiles: ["test/helpers/printExchanges.ts"],
  expect: { poll: { timeout: 240_000 } },
};

/** Files that start no other program. The workers keep their modules: half of the time would go into loading them again. */
const computing = (name: string, include: string[], exclude: string[] = []): TestProjectInlineConfiguration => ({
  // None takes a second by itself; next to other programs, some wait for their turn.
  test: {
    name,
    include,
    exclude,
    pool: "threads",
    isolate: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});

/** Files that start other programs, one after another: test/main.ts runs several projects at a time. */
const starting = (name: string, include: string[]): TestProjectInlineConfiguration => ({
  // Each file sets the environment variables that it reads.
  test: {
    name,
    include,
    ...PATIENT,
    isolate: false,
    fileParallelism: false,
  },
});

/** Files that share a platform. */
const sharing = (name: string, exclude: string[] = []): TestProjectInlineConfiguration => ({
  test: {
    ...starting(name, [`test/${name}/**/*.test.ts`]).test,
    exclude,
    globalSetup: [`test/${name}/platform.ts`],
  },
});

export default defineConfig({
  test: {
    // Vitest leaves one core free. test/main.ts has other steps for it.
    maxWorkers: "100%",
    // What an emulator logs is of interest in a test that fails.
    silent: "passed-only",
    // Node.js loads the modules itself, as it does for every command: a quarter less CPU time than with Vite's loader. It permits no vi.mock.
    experimental: { viteModuleRunner: false },
    projects: [
      computing(
        "unit",
        ["test/**/*.test.ts"],
        ["test/{program,e2e,domains,data,stack,cluster}/**", "**/*.live.test.ts"],
      ),
      // The Pulumi program, with mocks instead of an engine.
      computing("program", ["test/program/**/*.test.ts"]),
      computing("emulators", ["emulators/test/**/*.test.ts"], ["**/*.live.test.ts"]),
      starting("live", ["test/**/*.live.test.ts"]),
      starting("emulators-live", ["emulators/test/**/*.live.test.ts"]),
      starting("own", OWN_PLATFORM),
      sharing("e2e", OWN_PLATFORM),
      sharing("domains"),
      sharing("data"),
      sharing("stack"),
    ],
  },
});
