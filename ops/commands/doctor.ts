/** `npx gatehouse doctor`: checks every prerequisite of a first deployment, with a hint for each. See docs/doctor.md. */
import { runCommand } from "./command.ts";
import type { Shell } from "./shell.ts";
import { runDoctor, SUBJECTS } from "../checks/doctor/doctor.ts";
import { describe } from "../checks/doctor/report.ts";
import { summary, toJson } from "../checks/check.ts";
import { openCluster } from "../context/clusterIdentity.ts";
import { jsonText } from "../text.ts";

/**
 * Runs the command.
 * @param subjects of the checks; tests pass their own
 * @returns the exit code: 0, 1 when a check failed, 2 for a wrong command line or configuration, and for another cluster than that of the stack
 */
export function main(args: readonly string[], shell: Shell, subjects = SUBJECTS): Promise<number> {
  return runCommand("doctor", args, shell, (command, end) =>
    command
      .argument("<context>", "context of the cluster, as in kubernetes:context of its stack file")
      .option("--json", "print the checks as JSON")
      .action(async (context: string, { json }: { json?: true }) => {
        const target = await openCluster(context, shell);
        const report = await runDoctor(target, shell, shell.progress, subjects);
        shell.out(json ? jsonText(toJson(report)) : describe(report, context, shell.paint));
        end(summary(report.checks).failed > 0 ? 1 : 0);
      }),
  );
}
