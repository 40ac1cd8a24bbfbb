/** `npx gatehouse preview`: what a deployment would change in a cluster, as text for a log or a comment; with `--drift`, whether anything would. */
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { runCommand } from "./command.ts";
import type { Shell } from "./shell.ts";
import { buildFor } from "../engine/artifacts.ts";
import { openCluster } from "../context/clusterIdentity.ts";
import { decryptedConfig, otherConfiguration } from "../engine/configuration.ts";
import { openEngine } from "../engine/open.ts";
import { checkPolicyPack, runPolicy } from "../engine/policyPack.ts";
import { programOf } from "../engine/program.ts";
import { runRepeatable } from "../engine/repeat.ts";
import { EngineError, type Ran } from "../engine/run.ts";
import { isProvider, qualifiedName } from "../engine/step.ts";
import { previewReport } from "../deployment/report.ts";
import type { Report } from "../terminal/progress.ts";
import { UserError } from "../../config/errors/userError.ts";

/**
 * Runs the command.
 * @returns the exit code: 0; 1 for a preview that fails or violates a policy or, with --drift, for a cluster that differs from the stack file; 2 for
 *   a wrong command line or configuration, when the policy pack cannot run and, with --drift, when the UID of the cluster cannot be read
 */
export function main(args: readonly string[], shell: Shell): Promise<number> {
  return runCommand("preview", args, shell, (command, end) =>
    command
      .argument("<context>", "the context of the kubeconfig, which the stack file names as kubernetes:context")
      .option(
        "--drift",
        "refresh first, and exit with 1 if the cluster differs from the stack file: by drift, or by changes that are not deployed",
      )
      .action(async (context: string, { drift }: { drift?: true }) => {
        end(await preview(context, drift ?? false, shell));
      }),
  );
}

/** Runs the preview. The engine shows no secret: they are `[secret]` in what it prints. */
async function preview(name: string, drift: boolean, shell: Shell): Promise<number> {
  const target = await openCluster(name, shell);
  if (drift && target.notCompared) throw target.notCompared;
  await checkPolicyPack(target.environment);
  await buildFor(target.settings, shell.progress);
  // The program runs in this process, and looks up its variables there.
  Object.assign(process.env, target.environment);
  const program = await programOf(shell.project);
  const stack = await openEngine(target, shell, program, shell.progress);
  const other = otherConfiguration(target, await decryptedConfig(target, stack));
  if (other.length > 0) throw new UserError(other.join("\n"));
  const previewed = await runPreview(target.context, stack, drift, shell);
  if (!previewed) return 1;
  if (drift) return printDrift(previewed, shell);
  shell.out(previewed.output);
  return 0;
}

interface Previewed extends Ran {
  /** Of the engine. */
  readonly output: string;
}

/** Runs the engine's preview. @returns undefined if it failed, which is printed */
async function runPreview(
  context: string,
  stack: Stack,
  drift: boolean,
  { progress, out, error: printError }: Shell,
): Promise<Previewed | undefined> {
  let output = "";
  const keep = (part: string): void => void (output += part);
  const options = { ...runPolicy(), suppressOutputs: true, ...(drift && { diff: true, refresh: true }) };
  const work = (report: Report): Promise<Ran> =>
    runRepeatable(report, (watch) => {
      output = "";
      return stack.preview({ color: "never", ...options, onOutput: keep, onError: keep, ...watch });
    });
  try {
    const title = drift ? "Comparing the cluster with the stack file" : "Preview";
    return { ...(await progress.step(title, work, "20 s")), output };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    out(output);
    printError(`the preview of ${context} failed:\n${error.errors.map((text) => `  ${text}\n`).join("")}`);
    return undefined;
  }
}

/**
 * Prints which resources differ, and the engine's differences behind them. Without drift one line: the engine prints four for each resource whose
 * status it read again, 170 for the local stack with the publishers' plugins.
 * @returns the exit code
 */
function printDrift({ steps: planned, changes, output }: Previewed, shell: Shell): number {
  // A provider contains how the engine connects to the cluster, which differs between machines and is not part of the cluster.
  const steps = planned.filter(({ urn }) => !isProvider(qualifiedName(urn)));
  const unchanged = changes["same"] ?? 0;
  if (steps.length === 0) {
    shell.out(`Drift: none, ${unchanged} resources unchanged\n`);
    return 0;
  }
  const report = previewReport(steps, unchanged, shell.paint);
  shell.out(
    `Drift, or changes of the stack file that are not deployed: a deployment would change these\n${report}\n\n${output}`,
  );
  return 1;
}
