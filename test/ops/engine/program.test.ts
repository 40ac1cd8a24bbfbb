import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { UserError } from "../../../config/errors/userError.ts";
import program from "../../../infra/index.ts";
import { programOf } from "../../../ops/engine/program.ts";

let project: string;

const write = (name: string, text: string): void => writeFileSync(join(project, name), text);

beforeEach(() => (project = mkdtempSync(join(tmpdir(), "gatehouse-program-"))));
afterEach(() => rmSync(project, { recursive: true }));

test("is the main module of package.json, which runs anew each time", async () => {
  write("package.json", JSON.stringify({ main: "main.ts", type: "module" }));
  write("main.ts", "let runs = 0;\nexport default (): object => ({ runs: ++runs });\n");
  const main = await programOf(project);
  expect([await main(), await main()]).toEqual([{ runs: 1 }, { runs: 2 }]);
});

test("is index.ts without a package.json", async () => {
  write("index.ts", "export default async () => ({ found: true });\n");
  expect(await (await programOf(project))()).toEqual({ found: true });
});

test("has the component Gatehouse only, where the project has no program", async () => {
  expect(await programOf(project)).toBe(program);
});

test("rejects a default export that is not a function, since it could run only once", async () => {
  write("index.ts", "export const done = true;\n");
  await expect(programOf(project)).rejects.toThrow(
    "index.ts: the default export is not a function. Write export default",
  );
});

test("names a package.json that is not valid", async () => {
  write("package.json", "{");
  const failure: unknown = await programOf(project).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(UserError);
  expect((failure as UserError).message).toContain(`${join(project, "package.json")} cannot be read: `);
});
