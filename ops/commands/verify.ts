/** `npx gatehouse verify`: probes every route, header and grant of a live deployment. See docs/verify.md. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { append, runCommand } from "./command.ts";
import type { Shell } from "./shell.ts";
import { openCluster } from "../context/clusterIdentity.ts";
import { jsonText } from "../text.ts";
import { summary, toJson } from "../checks/check.ts";
import { junit } from "../checks/verify/junit.ts";
import { type Kind, KINDS } from "../checks/verify/hints.ts";
import { describeChecks } from "../checks/verify/report.ts";
import { verifyContext } from "../checks/verify/verify.ts";
import { writeOutput } from "./outputFile.ts";

interface Options {
  readonly json?: true;
  readonly junit?: string;
  readonly only?: readonly string[];
}

/**
 * Runs the command.
 * @param verify how it is done; tests give their own
 * @returns the exit code: 0, 1 when a check failed, 2 for a wrong command line or configuration; a skipped check does not count as failed
 */
export function main(args: readonly string[], shell: Shell, verify = verifyContext): Promise<number> {
  return runCommand("verify", args, shell, (command, end) =>
    command
      .argument("<context>", "the cluster context of the stack, e.g. gatehouse-local")
      .option("--json", "print the report as JSON")
      .option("--junit <file>", "also write the report as JUnit XML")
      .option(
        "--only <kinds>",
        `run only these checks, separated by commas: ${KINDS.join(", ")}; may be repeated`,
        append,
      )
      .action(async (context: string, options: Options) => {
        const only = options.only === undefined ? KINDS : kindsOf(options.only.join(","), command);
        const target = await openCluster(context, shell);
        const report = await verify(target, shell, shell.progress, only);
        const { checks, seconds } = report;
        if (options.json) shell.out(jsonText(toJson(report)));
        else shell.out(describeChecks(checks, seconds, shell.paint));
        if (options.junit !== undefined) writeOutput(resolve(shell.folder, options.junit), junit(report));
        end(summary(checks).failed > 0 ? 1 : 0);
      }),
  );
}

function kindsOf(text: string, command: Command): Kind[] {
  const names = text.split(",").map((name) => name.trim());
  const wrong = names.filter((name) => !(KINDS as readonly string[]).includes(name));
  if (wrong.length > 0)
    command.error(`error: --only ${wrong.join(", ")}: unknown kind. Use one or more of ${KINDS.join(", ")}.`);
  return KINDS.filter((kind) => names.includes(kind));
}
