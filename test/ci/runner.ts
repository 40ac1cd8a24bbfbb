/** A runner of GitHub: runs the steps of the workflows in a clone of the project, with an emulator of `gh`. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { writeExecutable } from "../helpers/executable.ts";
import { cloneProject } from "./clone.ts";
import type { GitHub } from "./gh.ts";

const root = join(import.meta.dirname, "..", "..");

export const RUN_URL = "https://github.com/example/platform/actions/runs/1";

interface Step {
  readonly name?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Clones the project, and returns a runner in the clone, whose folder the caller removes. */
export function openRunner() {
  const clone = cloneProject();
  const temp = join(clone.folder, ".git", "temp");
  const stateFile = join(temp, "github.json");
  mkdirSync(join(temp, "bin"), { recursive: true });
  const gh = `#!/bin/sh\nexec '${process.execPath}' '${join(import.meta.dirname, "gh.ts")}' "$@"\n`;
  writeExecutable(join(temp, "bin", "gh"), gh);

  const readGitHub = (): GitHub => {
    if (!existsSync(stateFile)) return { pulls: [], comments: [], issues: [], statuses: [] };
    return JSON.parse(readFileSync(stateFile, "utf8")) as GitHub;
  };

  const changeGitHub = (change: (state: GitHub) => Partial<GitHub>): void => {
    const state = readGitHub();
    writeFileSync(stateFile, JSON.stringify({ ...state, ...change(state) }));
  };

  /** Runs a step like GitHub: with `bash -e`, and expressions replaced by their values. */
  const runStep = async (
    file: string,
    name: string,
    values: Record<string, string>,
    more: Record<string, string> = {},
  ) => {
    const text = readFileSync(join(root, ".github", "workflows", file), "utf8");
    const { jobs } = parse(text) as { jobs: Record<string, { steps: Step[] }> };
    const step = Object.values(jobs)
      .flatMap(({ steps }) => steps)
      .find((one) => one.name === name);
    if (step?.run === undefined) throw new Error(`${file} has no step "${name}"`);
    const filled = Object.entries(step.env ?? {}).map(([key, template]) => {
      const replaced = template.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => {
        const value = values[expression];
        if (value === undefined) throw new Error(`no value for ${expression}`);
        return value;
      });
      return [key, replaced] as const;
    });
    const env = {
      PATH: `${join(temp, "bin")}:${process.env["PATH"]}`,
      HOME: clone.folder,
      CI: "true",
      RUNNER_TEMP: temp,
      GH_EMULATOR_STATE: stateFile,
      GITHUB_REPOSITORY: "example/platform",
      ...more,
      ...Object.fromEntries(filled),
    };
    return new Promise<{ code: number; out: string; error: string }>((resolve) => {
      const child = execFile("bash", ["-e", "-c", step.run ?? ""], { cwd: clone.folder, env }, (_, out, error) =>
        resolve({ code: child.exitCode ?? -1, out, error }),
      );
    });
  };
  return { clone, temp, readGitHub, changeGitHub, runStep };
}
