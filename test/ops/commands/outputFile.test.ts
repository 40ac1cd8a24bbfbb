import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { UserError } from "../../../config/errors/userError.ts";
import { writeOutput } from "../../../ops/commands/outputFile.ts";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "gatehouse-output-"))));
afterEach(() => rmSync(folder, { recursive: true }));

test("writes a file, its folder included, and replaces it", () => {
  const file = join(folder, "out", "report.xml");
  writeOutput(file, "one");
  writeOutput(file, "two");
  expect(readFileSync(file, "utf8")).toBe("two");
});

test("keeps a file that must not exist, and names what to do", () => {
  const file = join(folder, "imported.yaml");
  writeFileSync(file, "kept");
  expect(() => writeOutput(file, "new", "name a new file")).toThrow(new UserError(`${file} exists`, "name a new file"));
  expect(readFileSync(file, "utf8")).toBe("kept");
});

test("names a file that cannot be written", () => {
  const file = join(folder, "file", "report.xml");
  writeFileSync(join(folder, "file"), "");
  expect(() => writeOutput(file, "text")).toThrow(`${file} cannot be written: EEXIST`);
});
