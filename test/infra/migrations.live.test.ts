import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sections, stack } from "../config/stacks.ts";
import { writeExecutable } from "../helpers/executable.ts";
import type { Recorded } from "../helpers/recorder.ts";
import { deploy, PATIENCE } from "../helpers/program.ts";

interface Container {
  readonly command: readonly string[];
  readonly terminationMessagePolicy: string;
}

describe("the container of the migrations Job", () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-migrations-"));
  let container: Container;

  beforeAll(async () => {
    const recorder = await deploy(stack({ protected_services: [], data_api: sections.data_api }));
    const [job] = recorder.of("kubernetes:batch/v1:Job") as [Recorded];
    const { spec } = job.inputs as { spec: { template: { spec: { containers: [Container] } } } };
    [container] = spec.template.spec.containers;
    program("sleep", 'echo "sleep $1" >> log');
    program("psql", 'printf "psql %s|%s\\n" "$1" "$2" >> log; exit 3');
  }, PATIENCE);
  afterAll(() => rmSync(folder, { recursive: true }));

  function program(name: string, script: string): void {
    writeExecutable(join(folder, name), `#!/bin/sh\n${script}\n`);
  }

  /** Runs the command, and returns its exit code, what it printed and the programs that it started. */
  function run(): { code: unknown; printed: string; started: string[] } {
    rmSync(join(folder, "log"), { force: true });
    rmSync(join(folder, "attempts"), { force: true });
    const [file = "", ...args] = container.command;
    const env = { PATH: `${folder}:${process.env["PATH"]}`, PGHOST: "db", PGPORT: "5432" };
    try {
      execFileSync(file, [...args, "-v", "a b"], { cwd: folder, env, stdio: "pipe" });
      throw new Error("the exit code of psql is lost");
    } catch (error) {
      const { status, stderr } = error as { status: unknown; stderr: Buffer };
      const log = join(folder, "log");
      const started = existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : [];
      return { code: status, printed: stderr.toString(), started };
    }
  }

  test("waits until the server accepts connections", () => {
    program("pg_isready", 'echo "$*" >> attempts; [ $(wc -l < attempts) -gt 2 ]');
    expect(run()).toEqual({ code: 3, printed: "", started: ["sleep 1", "sleep 1", "psql -v|a b"] });
    expect(readFileSync(join(folder, "attempts"), "utf8").split("\n")[0]).toBe("--quiet --timeout=1");
  });

  test("starts psql after 120 attempts, for its error message", () => {
    program("pg_isready", "exit 2");
    const { code, printed, started } = run();
    expect([code, started.length, started.at(-1)]).toEqual([3, 121, "psql -v|a b"]);
    const lines = printed.trimEnd().split("\n");
    expect([lines.length, lines[0]]).toEqual([12, "waiting for db:5432, attempt 10 of 120"]);
  });

  test("has its last log lines in its status when it fails", () => {
    expect(container.terminationMessagePolicy).toBe("FallbackToLogsOnError");
  });
});
