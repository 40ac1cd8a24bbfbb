import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { UserError } from "../../../config/errors/userError.ts";
import { claimDataFolder, MARK, MARKER, notWritten } from "../../../ops/toolchain/dataFolder.ts";

test("marks a data folder when it creates it, and names a folder that it cannot create, with a hint", () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-folder-"));
  const data = join(folder, "data");
  claimDataFolder(data);
  expect(readFileSync(join(data, MARKER), "utf8")).toBe(MARK);
  // Also for root: a file in the way.
  writeFileSync(join(folder, "file"), "");
  const blocked = join(folder, "file", "data");
  expect(() => claimDataFolder(blocked)).toThrow(
    new UserError(
      `the data folder ${blocked} cannot be created or written (EEXIST); set GATEHOUSE_DATA to a folder that this user can write to`,
    ),
  );
  rmSync(folder, { recursive: true });
});

test("removes other users' write permission from a data folder, and refuses other folders that they can write to or own", () => {
  const data = mkdtempSync(join(tmpdir(), "gatehouse-folder-"));
  onTestFinished(() => rmSync(data, { recursive: true }));
  const hint = "set GATEHOUSE_DATA to a folder that only this user can write to";
  chmodSync(data, 0o777);
  claimDataFolder(data);
  expect(statSync(data).mode & 0o777).toBe(0o755);
  // A folder that is not a data folder keeps its mode: it can be that for temporary files.
  rmSync(join(data, MARKER));
  writeFileSync(join(data, "other"), "");
  chmodSync(data, 0o777);
  expect(() => claimDataFolder(data)).toThrow(new UserError(`other users can write to ${data}`, hint));
  expect(statSync(data).mode & 0o777).toBe(0o777);
  vi.spyOn(process, "getuid").mockReturnValue(12_345);
  onTestFinished(() => void vi.restoreAllMocks());
  expect(() => claimDataFolder(data)).toThrow(new UserError(`the data folder ${data} belongs to another user`, hint));
});

test("names a full disk, with a hint", () => {
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  expect(notWritten("/data", full)).toEqual(
    new UserError(
      "no space is left for the data folder /data (ENOSPC)",
      "free disk space, or set GATEHOUSE_DATA to a folder on another disk",
    ),
  );
});
