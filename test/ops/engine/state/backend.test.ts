import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { backendFolder } from "../../../../ops/engine/state/backend.ts";

const HOME = userInfo().homedir;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gatehouse-backend-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Returns the folder of a backend, with the working directory `folder` and credentials in it. */
function find(url: string): string | undefined {
  return backendFolder(folder, { PULUMI_BACKEND_URL: url, PULUMI_HOME: folder, PULUMI_CREDENTIALS_PATH: "" });
}

test.each([
  ["file:///var/state", "/var/state"],
  ["file:///var/state?metadata=skip", "/var/state"],
  ["file:///var/my%20state", "/var/my state"],
  ["file://~", HOME],
  ["file://~/state", join(HOME, "state")],
  ["s3://states", undefined],
  ["https://api.pulumi.com", undefined],
])("finds the folder of %s: %s", (url, expected) => {
  expect(find(url)).toBe(expected);
});

test("resolves a relative path from the working directory", () => {
  expect(find("file://./state")).toBe(join(folder, "state"));
  expect(find("file://state")).toBe(join(folder, "state"));
});

test("reads the backend of pulumi login, and that of Pulumi.yaml before it", () => {
  expect(find("")).toBe(undefined);
  writeFileSync(
    join(folder, "credentials.json"),
    '{ "current": "file:///login", "accounts": { "file:///login": {} } }',
  );
  expect(find("")).toBe("/login");
  writeFileSync(join(folder, "Pulumi.yaml"), "name: gatehouse\n");
  expect(find("")).toBe("/login");
  writeFileSync(join(folder, "Pulumi.yaml"), "name: gatehouse\nbackend:\n  url: file://./project\n");
  expect(find("")).toBe(join(folder, "project"));
  expect(find("file:///variable")).toBe("/variable");
});
