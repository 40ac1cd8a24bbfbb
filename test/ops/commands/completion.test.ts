import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { main } from "../../../ops/commands/gatehouse.ts";
import type { Shell } from "../../../ops/commands/shell.ts";
import { SHELL } from "../../helpers/shell.ts";

let project: string;
let printed: string[];

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "gatehouse-completion-"));
  for (const [stack, context] of Object.entries({ dev: "k3s", production: "eu-north" })) {
    writeFileSync(join(project, `Pulumi.${stack}.yaml`), `config:\n  kubernetes:context: ${context}\n`);
  }
  printed = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => void printed.push(line));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(project, { recursive: true });
});

/** Returns the completions of a command line, without their descriptions. */
async function completions(words: readonly string[], changes: Partial<Shell> = {}): Promise<string[]> {
  expect(await main(["complete", "--", ...words], { ...SHELL, project, ...changes })).toBe(0);
  // The last line is for the script.
  return printed.slice(0, -1).map((line) => line.split("\t")[0] ?? "");
}

test.each<[readonly string[], readonly string[]]>([
  [["di"], ["diagnose", "diff"]],
  [
    ["plan", ""],
    ["dev", "production"],
  ],
  [["plan", "p"], ["production"]],
  [["plan", "--f"], ["--file"]],
  [
    ["verify", ""],
    ["eu-north", "k3s"],
  ],
  [
    ["contract", ""],
    ["accept", "check"],
  ],
  [
    ["contract", "check", ""],
    ["dev", "production"],
  ],
  [
    ["diff", "main", "--stack", ""],
    ["dev", "production"],
  ],
  [["completion", "z"], ["zsh"]],
  [["moon", ""], []],
])("completes %j", async (words, expected) => {
  expect((await completions(words)).sort()).toEqual(expected);
});

test("has no values outside of a project", async () => {
  expect(await completions(["plan", ""], { project: join(project, "missing") })).toEqual([]);
});

test("completes options where the project and the variables of the shell cannot be read", async () => {
  const fail = (): never => {
    throw new Error("no Pulumi project");
  };
  const shell = Object.defineProperties({ ...SHELL }, { project: { get: fail }, environment: { get: fail } });
  expect(await main(["complete", "--", "init", "--"], shell)).toBe(0);
  expect(printed.join("\n")).toContain("--authentik");
});

describe("the script", () => {
  test.each(["bash", "zsh", "fish"])("asks gatehouse in %s", async (name) => {
    expect(await main(["completion", name], SHELL)).toBe(0);
    expect(printed.join("\n")).toContain("gatehouse complete --");
  });

  test("exits with 2 for another shell", async () => {
    let error = "";
    expect(await main(["completion", "cmd"], { ...SHELL, error: (text) => void (error += text) })).toBe(2);
    expect(error).toContain("Allowed choices are bash, zsh, fish.");
  });
});
