/** `./deploy CONTEXT`: preview, confirm, apply and verify the stack of one cluster context. See docs/deploy.md. */
import { createInterface } from "node:readline/promises";
import { Command } from "commander";
import program from "../../infra/index.ts";
import { ciVariable } from "./ci.ts";
import { exitCodeFor } from "./exitCode.ts";
import { listContexts, openContext, type ShellEnvironment, type StackContext } from "../context/context.ts";
import { ContextError } from "../context/contextError.ts";
import { deployContext } from "../engine/deployment/deployment.ts";
import { exitCodeOf } from "../engine/deployment/outcome.ts";
import { verifyDeployment } from "../engine/deployment/verification.ts";
import { type Paint, painter } from "../terminal/paint.ts";
import { dataFolder, projectFolder } from "../toolchain/paths.ts";
import { createProgress, type Progress } from "../terminal/progress.ts";

/** What the command uses of the process that it runs in. */
export interface Shell extends ShellEnvironment {
  /** Asks the user; undefined if standard input is not a terminal. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  readonly paint: Paint;
  readonly progress: Progress;
  readonly interrupted: AbortSignal;
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Deploys; a test puts its own in its place. */
  readonly deploy: typeof deployContext;
}

interface Flags {
  readonly yes?: true;
  readonly json?: true;
  readonly refresh?: true;
  readonly skipPolicy?: true;
}

const USAGE = "CONTEXT [--yes] [--json] [--refresh] [--skip-policy]";

/**
 * @param args {@link USAGE}
 * @returns the exit code: 0 when the stack is deployed and verified, 1 when it is not, 2 for a wrong command line, for what was refused
 *   before anything changed, and without a terminal to confirm on
 */
export async function main(args: readonly string[], shell: Shell): Promise<number> {
  let flags: Flags = {};
  const command: Command = new Command("./deploy")
    .usage(USAGE)
    .description("Deploy the stack of a cluster context: check, preview, ask, apply, verify. See docs/deploy.md.")
    .argument("[context]", "the context of the kubeconfig, which the stack file names as kubernetes:context")
    .option("--yes", "do not ask for confirmation")
    .option("--json", "print one JSON document at the end; everything else goes to standard error")
    .option("--refresh", "detect drift first")
    .option("--skip-policy", "do not run the policy pack: for emergencies, never in CI")
    .configureOutput({ writeOut: shell.out, writeErr: shell.error })
    .exitOverride()
    .action((_, options: Flags) => void (flags = options));
  try {
    command.parse(args, { from: "user" });
    const [context] = command.args;
    if (context === undefined)
      throw new ContextError(`name a context: ./deploy CONTEXT\n${listContexts(shell.project)}`);
    const ci = ciVariable(shell.environment);
    if (flags.skipPolicy && ci !== undefined) {
      throw new ContextError(
        `--skip-policy never works in CI, and ${ci} is set. Run ./deploy without it. ` +
          "If the policy pack reports a violation, see docs/policy.md.",
      );
    }
    const target = openContext(context, shell);
    if (!flags.yes && !shell.ask) {
      throw new ContextError(
        "Standard input is not a terminal, so Gatehouse cannot ask for confirmation. Run npm run preview, then pass --yes.",
      );
    }
    return await deploy(target, flags, shell);
  } catch (error) {
    return exitCodeFor(error, shell);
  }
}

async function deploy(target: StackContext, { yes, json, refresh, skipPolicy }: Flags, shell: Shell): Promise<number> {
  const { ask, error, out, paint, progress, interrupted } = shell;
  const print = (text: string): void => (json ? error : out)(`${text}\n`);
  const confirm = async (question: string): Promise<boolean> =>
    yes === true || (await ask?.(`${question} Type yes to continue: `))?.trim() === "yes";
  // The program runs in this process, and looks for its variables where a deploying shell has them.
  Object.assign(process.env, target.environment);
  const verify = async () => (await verifyDeployment(target, shell, progress)).checks;
  const chosen = { refresh: refresh === true, skipPolicy: skipPolicy === true };
  const how = { ...chosen, confirm, print, paint, progress, interrupted, program, verify };
  const outcome = await shell.deploy(target, shell, how);
  if (json) out(`${JSON.stringify(outcome, undefined, 2)}\n`);
  return exitCodeOf(outcome);
}

/** The engine receives Ctrl-C from the terminal itself; a second signal would make it stop without finishing its operations. */
function interruption(): AbortSignal {
  const abort = new AbortController();
  process.on("SIGINT", () => process.stdin.isTTY || abort.abort());
  process.on("SIGTERM", () => abort.abort());
  return abort.signal;
}

function asker(): Shell["ask"] {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  return async (question) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return await lines.question(question);
    } finally {
      lines.close();
    }
  };
}

if (import.meta.main) {
  process.exitCode = await main(process.argv.slice(2), {
    environment: process.env,
    project: projectFolder(),
    data: dataFolder(),
    ask: asker(),
    paint: painter(process.stdout.isTTY && process.stdout.hasColors()),
    progress: createProgress(),
    interrupted: interruption(),
    out: (text) => process.stdout.write(text),
    error: (text) => process.stderr.write(text),
    deploy: deployContext,
  });
}
