import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pulumiHome } from "../../local/platform/pulumiHome.ts";

let cache: string;
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), "gatehouse-home-"));
  vi.stubEnv("GATEHOUSE_CACHE", cache);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(cache, { recursive: true });
});

test("has a file where the engine would write its logs, instead of what it has written, and keeps the plugins", () => {
  const home = join(cache, "pulumi");
  mkdirSync(join(home, "plugins"), { recursive: true });
  mkdirSync(join(home, "logs"));
  writeFileSync(join(home, "logs", "local-20261128T102949.log"), "");
  expect(pulumiHome()).toBe(home);
  expect(readdirSync(home)).toEqual(["logs", "plugins"]);
  const { mtimeMs } = statSync(join(home, "logs"));
  expect(statSync(join(pulumiHome(), "logs"))).toMatchObject({ mtimeMs });
  expect(statSync(join(home, "logs")).isFile()).toBe(true);
});
