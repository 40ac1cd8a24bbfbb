import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { UserError } from "../../../config/userError.ts";
import { claimDataFolder, MARK, MARKER } from "../../../ops/toolchain/dataFolder.ts";

test("a data folder is marked when it is created, and a folder that cannot be created is named with the fix", () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-folder-"));
  const data = join(folder, "data");
  claimDataFolder(data);
  expect(readFileSync(join(data, MARKER), "utf8")).toBe(MARK);
  // Also for root: a file in the way.
  writeFileSync(join(folder, "file"), "");
  const blocked = join(folder, "file", "data");
  expect(() => claimDataFolder(blocked)).toThrow(
    new UserError(
      `the data folder ${blocked} cannot be created or written (ENOTDIR); set GATEHOUSE_DATA to a folder that this user can write to`,
    ),
  );
  rmSync(folder, { recursive: true });
});
