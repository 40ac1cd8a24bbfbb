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

test.each([
  [
    "a syntax error",
    "const a = 1;\nconst = 2;\n",
    (folder: string) => `Unexpected token \`=\`. Expected yield, an identifier, [ or { (${folder}/index.ts:2)`,
  ],
  [
    "a missing package",
    'import "gatehouse-missing";\n',
    (folder: string) => `Cannot find package 'gatehouse-missing' imported from ${folder}/index.ts`,
  ],
  [
    "an error of its own",
    '\nthrow new Error("no region");\n',
    (folder: string) => `no region (${folder}/index.ts:2:7)`,
  ],
])("names a program with %s, and the place", async (_, text, reason) => {
  write("package.json", JSON.stringify({ type: "module" }));
  write("index.ts", text);
  await expect(programOf(project)).rejects.toThrow(new UserError(`index.ts cannot be loaded: ${reason(project)}`));
});

test("names a package.json that is not valid", async () => {
  write("package.json", "{");
  const failure: unknown = await programOf(project).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(UserError);
  expect((failure as UserError).message).toContain(`${join(project, "package.json")} cannot be read: `);
});
