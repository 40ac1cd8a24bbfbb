import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { UserError } from "../../../config/errors/userError.ts";
import { withLock } from "../../../ops/toolchain/store.ts";

test("reports a cache folder that cannot be created, with a hint", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-cache-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "file"), "");
  const cache = join(folder, "file", "cache");
  const hint = "set GATEHOUSE_CACHE to a folder that only this user can write to";
  await expect(withLock(cache, "build", vi.fn(), vi.fn())).rejects.toThrow(
    new UserError(`the cache folder ${cache} cannot be created or written (ENOTDIR)`, hint),
  );
});
