/** `npx gatehouse preview`: what a deployment would change in a cluster, as text for a log or a comment; with `--drift`, whether anything would. */
import type { EngineEvent, StepEventMetadata } from "@pulumi/pulumi/automation/index.js";
import { runCommand } from "./command.ts";
import type { Shell } from "./shell.ts";
import { buildFor } from "../engine/artifacts.ts";
import { openCluster } from "../context/identity.ts";
import { openEngine } from "../engine/open.ts";
import { checkPolicyPack, runPolicy } from "../engine/policyPack.ts";
import { programOf } from "../engine/program.ts";
import { stepOf } from "../engine/step.ts";

/**
 * @param args `CONTEXT [--drift]`
 * @returns the exit code: 0; 1 for a preview that fails or violates a policy or, with --drift, for a cluster that is not as deployed; 2 for a
 *   wrong command line or configuration, and when the policy pack cannot run
 */
export function main(args: readonly string[], shell: Shell): Promise<number> {
  return runCommand("preview", args, shell, (command, end) =>
    command
      .description("Print what a deployment would change, without a question. See docs/ci.md.")
      .argument("<context>", "the context of the kubeconfig, which the stack file names as kubernetes:context")
      .option("--drift", "refresh first, and exit with 1 if the cluster differs from the last deployment")
      .action(async (context: string, { drift }: { drift?: true }) => {
        end(await preview(context, drift ?? false, shell));
      }),
  );
}

/** The engine shows no secret: they are `[secret]` in what it prints. */
async function preview(name: string, drift: boolean, shell: Shell): Promise<number> {
  const target = await openCluster(name, shell);
  await checkPolicyPack(target.environment);
  await buildFor(target.settings, shell.progress);
  // The program runs in this process, and looks up its variables there.
  Object.assign(process.env, target.environment);
  const program = await programOf(shell.project);
  const stack = await openEngine(target, shell, program, shell.progress);
  let changes = 0;
  const countChange = ({ resourcePreEvent }: EngineEvent) => {
    if (resourcePreEvent && isChange(resourcePreEvent.metadata)) changes++;
  };
  const output = { color: "never", onOutput: shell.out, onError: shell.out, onEvent: countChange } as const;
  try {
    await stack.preview({ ...output, ...runPolicy(), diff: drift, refresh: drift, suppressOutputs: true });
    return drift && changes > 0 ? 1 : 0;
  } catch (error) {
    // The output contains the error of the engine.
    if (!(error instanceof Error && error.name === "CommandError")) throw error;
    shell.error(`the preview of ${target.context} failed; see the last lines of its output\n`);
    return 1;
  }
}

/** A provider contains how the engine connects to the cluster, which differs between machines and is no part of the cluster. */
function isChange(metadata: StepEventMetadata): boolean {
  return stepOf(metadata) !== undefined && !metadata.type.startsWith("pulumi:providers:");
}
