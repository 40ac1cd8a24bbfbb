/** The steps that `gatehouse import` prints, followed as a user does. */
import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";

const HAS_PROGRAMS = ["kubectl", "jq"].every((program) => spawnSync(program, ["--help"]).error === undefined);

/**
 * Runs the commands of each step under a title of the report as printed.
 * @param printed the report as text
 * @param overApi follows a step without commands; every step on a machine without kubectl and jq
 */
export async function followSteps(
  printed: string,
  title: string,
  env: NodeJS.ProcessEnv,
  overApi: (step: string) => Promise<void>,
): Promise<void> {
  const [section = ""] = (printed.split(`\n${title}\n`)[1] ?? "").split("\n\n");
  const [, ...steps] = section.split(/^ {2}\d+\. /m);
  if (steps.length === 0) throw new Error(`no steps under ${title}`);
  for (const step of steps) {
    const [commands] = /^ *kubectl [^]*/m.exec(step) ?? [];
    if (commands === undefined || !HAS_PROGRAMS) await overApi(step.trimEnd());
    else await promisify(execFile)("sh", ["-c", commands], { env });
  }
}
