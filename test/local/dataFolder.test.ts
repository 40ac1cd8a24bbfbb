import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { UserError } from "../../config/errors/userError.ts";
import { openDataFolder } from "../../local/platform/data.ts";
import { claimDataFolder } from "../../ops/toolchain/dataFolder.ts";

test("names a data folder that can no longer be written, and does not keep it locked", async () => {
  const data = realpathSync(mkdtempSync(join(tmpdir(), "gatehouse-folder-")));
  onTestFinished(() => rmSync(data, { recursive: true }));
  claimDataFolder(data);
  // Also for root: a folder in the way.
  mkdirSync(join(data, "running.json"));
  const problem = new UserError(
    `the data folder ${data} cannot be created or written (EISDIR); set GATEHOUSE_DATA to a folder that this user can write to`,
  );
  await expect(openDataFolder(data)).rejects.toEqual(problem);
  await expect(openDataFolder(data)).rejects.toEqual(problem);
});
