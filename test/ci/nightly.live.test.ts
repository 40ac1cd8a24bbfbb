/** Runs the step of the nightly workflow that reports what failed in an issue. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { BOT } from "./gh.ts";
import { openRunner, RUN_URL } from "./runner.ts";

const { clone, temp, readGitHub, changeGitHub, runStep } = openRunner();
afterAll(() => rmSync(clone.folder, { recursive: true }));

describe("the issue of the nightly run", () => {
  const failed = join(temp, "failed");
  const run = async () => {
    const { code, error } = await runStep("nightly.yml", "Update the issue", {
      "github.token": "a token",
      "vars.GATEHOUSE_CONTEXT": "production",
      "github.server_url": "https://github.com",
      "github.repository": "example/platform",
      "github.run_id": "1",
    });
    return { code, error, issues: readGitHub().issues };
  };
  const TITLE = "Nightly check of production failed";
  const foreign = { number: 1, title: TITLE, author: "eve", body: "Another user's issue", state: "open" };

  test("is opened once, updated, and closed when all checks pass", async () => {
    changeGitHub(() => ({ issues: [foreign] }));
    mkdirSync(failed, { recursive: true });
    expect(await run()).toEqual({ code: 0, error: "", issues: [foreign] });

    writeFileSync(join(failed, "drift.txt"), "~ IngressRoute wiki\n```\n");
    const body = `### drift\n\n    ~ IngressRoute wiki\n    \`\`\`\n\n\n[Log of the run](${RUN_URL})\n`;
    const opened = { number: 2, title: TITLE, author: BOT, body, state: "open" };
    expect(await run()).toEqual({ code: 1, error: "", issues: [foreign, opened] });

    for (const name of ["drift", "verify", "audit"])
      writeFileSync(join(failed, `${name}.txt`), "a line\n".repeat(9000));
    const { code, issues } = await run();
    expect([code, issues.length]).toEqual([1, 2]);
    expect(issues[1]?.body).toMatch(/^### audit\n[^#]+### drift\n[^#]+### verify\n/);

    rmSync(failed, { recursive: true });
    const closed = await run();
    expect(closed.code).toBe(0);
    expect(closed.issues.map(({ state, comment: text }) => [state, text])).toEqual([
      ["open", undefined],
      ["closed", `All checks passed: ${RUN_URL}`],
    ]);
  });
});
