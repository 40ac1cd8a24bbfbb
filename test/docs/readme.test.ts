/** The first example of README.md is a valid stack file, and its plan is the one that README.md prints. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { main } from "../../ops/commands/plan.ts";
import { SHELL } from "../helpers/shell.ts";

const readme = readFileSync(join(import.meta.dirname, "..", "..", "README.md"), "utf8");

/** Cells of the lines of a table, without the white space that pads them. */
const rowsOf = (text: string): string[] =>
  text.split("\n").flatMap((line) => (line.startsWith("│") ? [line.replaceAll(/ *│ */g, "|")] : []));

test("plans the first example of README.md as printed", async () => {
  const [, example = "", shown = ""] = /```yaml\n([^]*?)```[^]*?```\n([^]*?)```/.exec(readme) ?? [];
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-readme-"));
  try {
    writeFileSync(join(folder, "Pulumi.example.yaml"), example);
    let out = "";
    let error = "";
    const code = await main(["--file", "Pulumi.example.yaml"], {
      ...SHELL,
      folder,
      out: (text) => (out += text),
      error: (text) => (error += text),
    });
    expect([code, error]).toEqual([0, ""]);
    expect(rowsOf(shown).length).toBeGreaterThan(2);
    expect(rowsOf(out)).toEqual(expect.arrayContaining(rowsOf(shown)));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("finds at most 150 lines in README.md", () => {
  expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(150);
});
