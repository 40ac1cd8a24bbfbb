import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { ensureBuilt } from "../../../ops/engine/artifacts.ts";
import { SILENT } from "../../../ops/terminal/progress.ts";

test("passes no secrets of the shell to a build", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-build-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  vi.stubEnv("AUTHENTIK_TOKEN", "canary");
  vi.stubEnv("GATEHOUSE_CACHE", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const program = join(folder, "build.js");
  writeFileSync(program, "console.error(Object.keys(process.env).sort().join()); process.exit(1);");
  const build = { name: "sample", title: "Building a sample", program, problem: () => "missing", usually: "1 s" };
  const failed = ensureBuilt(build, SILENT);
  const keys = await failed.then(
    () => "",
    (error: Error) => error.message,
  );
  expect(keys).toMatch(/^npm run build:sample failed:\n.*\bPATH\b/);
  expect(keys).not.toContain("AUTHENTIK_TOKEN");
});
