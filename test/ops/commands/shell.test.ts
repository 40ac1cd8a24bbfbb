import { expect, test } from "vitest";
import { commandFolder } from "../../../ops/commands/shell.ts";

const npm = { INIT_CWD: "/project/notes", npm_package_json: "/project/package.json" };

test("returns the folder in which npm was started, for a script that runs in the folder of its package.json", () => {
  expect(commandFolder(npm, "/project")).toBe("/project/notes");
});

test.each([
  ["a script changed to another folder", npm, "/project/sub"],
  ["a script changed to the folder of another package", npm, "/other"],
  ["INIT_CWD is not of npm", { INIT_CWD: "/project/notes" }, "/project"],
  ["npm is not used", {}, "/project"],
])("returns the working directory if %s", (_, environment, folder) => {
  expect(commandFolder(environment, folder)).toBe(folder);
});
