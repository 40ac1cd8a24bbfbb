import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { UserError } from "../../config/errors/userError.ts";
import { startPlatform } from "../../local/platform/platform.ts";
import { SILENT } from "../../ops/terminal/progress.ts";
import { processesOf } from "./processes.ts";

test("refuses a data folder whose path is too long for the socket of authentik, before a program starts", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "gatehouse-folder-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const data = join(folder, "x".repeat(65 - folder.length));
  const problem = `the path of the data folder ${data} is longer than 65 characters`;
  await expect(startPlatform({ data, progress: SILENT })).rejects.toEqual(
    new UserError(problem, "set GATEHOUSE_DATA to a folder with a shorter path"),
  );
  expect(processesOf(data)).toEqual([]);
});
