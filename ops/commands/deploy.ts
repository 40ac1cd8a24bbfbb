/** `npx gatehouse deploy CONTEXT`: preview, confirm, apply and verify the stack of one cluster context. See docs/deploy.md. */
import { Console } from "node:console";
import { UserError } from "../../config/errors/userError.ts";
import { ciVariable } from "../context/ci.ts";
import { runCommand } from "./command.ts";
import type { Shell } from "./shell.ts";
import { listContexts, openContext, type StackContext } from "../context/context.ts";
import { deployContext } from "../deployment/deployment.ts";
import { exitCodeOf } from "../deployment/outcome.ts";
import { programOf } from "../engine/program.ts";
import { verifyDeployment } from "../deployment/verification.ts";
import { jsonText } from "../text.ts";

interface Flags {
  readonly yes?: true;
  readonly json?: true;
  readonly refresh?: true;
  readonly skipPolicy?: true;
}

/**
 * Runs the command.
 * @param deploy how it is done; tests pass their own
 * @returns the exit code: 0 when the stack is deployed and verified, 1 when it is not, 2 for a wrong command line, for what was refused
 *   before anything changed, and without a terminal to confirm on
 */
export function main(args: readonly string[], shell: Shell, deploy = deployContext): Promise<number> {
  return runCommand("deploy", args, shell, (command, end) =>
    command
      .usage("[options] CONTEXT")
      .argument("[context]", "the context of the kubeconfig, which the stack file names as kubernetes:context")
      .option("--yes", "do not ask for confirmation")
      .option("--json", "print one JSON document at the end; everything else goes to standard error")
      .option("--refresh", "detect drift first")
      .option("--skip-policy", "do not run the policy pack: for emergencies, never in CI")
      .action(async (context: string | undefined, flags: Flags) => {
        if (context === undefined)
          throw new UserError(`name a context: npx gatehouse deploy CONTEXT\n${listContexts(shell.project)}`);
        end(await run(openTarget(context, flags, shell), flags, shell, deploy));
      }),
  );
}

/** Returns the stack of a context. @throws UserError when the flags are not possible here */
function openTarget(context: string, { yes, skipPolicy }: Flags, shell: Shell): StackContext {
  const ci = ciVariable(shell.environment);
  if (skipPolicy && ci !== undefined) {
    throw new UserError(
      `--skip-policy never works in CI, and ${ci} is set. Run npx gatehouse deploy without it. ` +
        "If the policy pack reports a violation, see docs/policy.md.",
    );
  }
  const target = openContext(context, shell);
  if (!yes && !shell.ask) {
    throw new UserError(
      "Standard input or standard error is not a terminal, so Gatehouse cannot ask for confirmation. Run npx gatehouse preview, then pass --yes.",
    );
  }
  return target;
}

async function run(
  target: StackContext,
  { yes, json, refresh, skipPolicy }: Flags,
  shell: Shell,
  deploy: typeof deployContext,
): Promise<number> {
  const { ask, error, out, paint, progress } = shell;
  const interrupted = shell.interruption();
  const print = (text: string): void => (json ? error : out)(`${text}\n`);
  const confirm = async (question: string): Promise<boolean> =>
    yes === true || (await ask?.(`${question} Type yes to continue: `, interrupted))?.trim() === "yes";
  // Standard output has the document only, also if the project's program writes to the console.
  if (json) globalThis.console = new Console(process.stderr);
  // The program runs in this process, and looks for its variables where a deploying shell has them.
  Object.assign(process.env, target.environment);
  const verify = async () => (await verifyDeployment(target, shell, progress)).checks;
  const program = () => programOf(shell.project);
  const chosen = { refresh: refresh === true, skipPolicy: skipPolicy === true };
  const how = { ...chosen, confirm, print, paint, progress, interrupted, program, verify };
  const outcome = await deploy(target, shell, how);
  if (json) out(jsonText(outcome));
  return exitCodeOf(outcome);
}
