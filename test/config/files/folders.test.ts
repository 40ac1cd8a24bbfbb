import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import os, { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { homeFolder, packageFolder, projectFolder } from "../../../config/files/folders.ts";
import { UserError } from "../../../config/errors/userError.ts";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "gatehouse-folders-"));
  mkdirSync(join(folder, "project", "stacks", "old"), { recursive: true });
  writeFileSync(join(folder, "project", "Pulumi.yaml"), "name: gatehouse\n");
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each([".", "stacks", "stacks/old"])("returns the nearest folder with a Pulumi.yaml for %s", (from) => {
  expect(projectFolder(join(folder, "project", from))).toBe(join(folder, "project"));
});

test("throws with the command that creates a Pulumi.yaml if there is none", () => {
  expect(() => projectFolder(folder, join(folder, "package"))).toThrow(
    new UserError(
      `there is no Pulumi.yaml in ${folder} or a folder above it. Change to the folder of your stack files, or create one with: npx gatehouse init`,
    ),
  );
});

test("returns the package's folder if the working directory is in this repository", () => {
  expect(projectFolder(join(packageFolder(), "docs"))).toBe(packageFolder());
  expect(projectFolder(folder)).toBe(packageFolder());
});

test("returns HOME or the root folder as the home of a user that the user database does not have", () => {
  expect(homeFolder()).toBe(os.userInfo().homedir);
  vi.spyOn(os, "userInfo").mockImplementation(() => {
    throw new Error("A system error occurred: uv_os_get_passwd returned ENOENT (no such file or directory)");
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    syncBuiltinESMExports();
  });
  vi.stubEnv("HOME", "/home/builder");
  expect(homeFolder()).toBe("/home/builder");
  vi.stubEnv("HOME", "");
  expect(homeFolder()).toBe("/");
});
