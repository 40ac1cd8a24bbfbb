import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { readStackFile } from "../../config/load.ts";
import { openContext } from "../../ops/context/context.ts";
import { main as diff } from "../../ops/commands/diff.ts";
import { main as plan } from "../../ops/commands/plan.ts";
import { NOT_STACK_FILES } from "../config/files/wrongFiles.ts";
import { messageOf } from "../config/stacks.ts";
import { SHELL } from "../helpers/shell.ts";

const folder = mkdtempSync(join(tmpdir(), "gatehouse-stack-files-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(NOT_STACK_FILES)("$name as a stack file", ({ content, problem }) => {
  const file = "Pulumi.dev.yaml";
  const message = `${file}: 1 problem\n  ${file}: ${problem}`;
  const seen = { out: "", error: "" };
  const shell = {
    ...SHELL,
    folder,
    project: folder,
    out: (text: string) => void (seen.out += text),
    error: (text: string) => void (seen.error += text),
  };
  beforeEach(() => {
    writeFileSync(join(folder, file), content);
    Object.assign(seen, { out: "", error: "" });
  });

  test("is refused by readStackFile", () => {
    expect(messageOf(() => readStackFile(join(folder, file), "dev"))).toBe(message);
  });

  test("is reported by npx gatehouse plan", async () => {
    expect(await plan(["--file", file], shell)).toBe(2);
    expect(seen).toEqual({ out: "", error: `${message}\n` });
  });

  test("is reported by npx gatehouse diff", async () => {
    expect(await diff([file], shell)).toBe(2);
    expect(seen).toEqual({ out: `Stack dev\n\n${message}\n`, error: "" });
  });

  test("is refused when a command looks for the stack of a context", () => {
    const place = { project: folder, data: folder, environment: {} };
    expect(messageOf(() => openContext("rancher-desktop", place))).toBe(message);
  });
});
