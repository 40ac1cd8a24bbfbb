import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { PulumiFn, Stack } from "@pulumi/pulumi/automation/index.js";
import { parseStack, readStackFile } from "../config/load.ts";
import type { Settings } from "../config/settings.ts";
import program from "../infra/index.ts";
import { computePlan } from "../infra/plan/plan.ts";
import type { Plan } from "../infra/plan/types.ts";
import { buildFor } from "../ops/engine/artifacts.ts";
import { pulumiCommand } from "../ops/engine/open.ts";
import { writeLocalContext } from "../ops/context/local.ts";
import { apply } from "../ops/engine/apply.ts";
import type { Changes } from "../ops/engine/run.ts";
import { openStack, type StackOptions } from "../ops/engine/stack.ts";
import { packageFolder } from "../config/files/folders.ts";
import { NO_POLICY } from "../ops/engine/policyPack.ts";
import type { Progress, Report } from "../ops/terminal/progress.ts";
import type { Platform } from "./platform/platform.ts";
import { pulumiHome } from "./platform/pulumiHome.ts";
import { localSecret, type Secrets, secretVariables } from "./platform/secrets.ts";

/** The `local` stack, opened on a running platform. */
export interface LocalStack {
  readonly stack: Stack;
  readonly settings: Settings;
  readonly plan: Plan;
  /** The secret template variables in clear. */
  readonly variables: Secrets;
}

/**
 * Opens the `local` stack with the real engine: file backend, passphrase and workspace all in the platform's data folder.
 * @param changes config that replaces values of the stack file, by full key
 */
export async function openLocal(
  platform: Platform,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<LocalStack> {
  const overrides = {
    ...changes,
    "variables:HTTP_PORT": String(platform.httpPort),
    "variables:POSTGRES_HOST": platform.postgres.host,
    "variables:POSTGRES_PORT": String(platform.postgres.port),
  };
  const raw = readStackFile(join(packageFolder(), "Pulumi.local.yaml"), "local");
  const config = { ...raw.config };
  for (const [key, value] of Object.entries(overrides)) {
    config[key] = { value };
  }
  const found = parseStack({ ...raw, config }, process.env, { secretsRequired: false });
  // Not those of the shell: it can have the token of another authentik, and the platform's servers keep their first ones.
  const given = { POSTGRES_PASSWORD: platform.postgres.password };
  const variables = secretVariables(platform.data, found, given);
  // The program runs in this process, and reads its variables from the environment.
  Object.assign(process.env, variables);
  const settings = parseStack({ ...raw, config }, process.env);

  const stack = await openStack({ ...(await engineOptions(platform)), stack: "local", program, overrides });
  const environment = { ...engineEnvironment(platform), ...variables };
  writeLocalContext(platform.data, { context: platform.context, stack: "local", config: overrides, environment });
  return { stack, settings, plan: computePlan(settings), variables };
}

/** Opens a stack of another program on the same platform. */
export async function openProgram(platform: Platform, stack: string, other: PulumiFn): Promise<Stack> {
  const workspace = join(platform.data, `workspace-${stack}`);
  return openStack({ ...(await engineOptions(platform)), workspace, stack, program: other });
}

async function engineOptions(platform: Platform): Promise<Pick<StackOptions, "command" | "workspace" | "environment">> {
  await mkdir(join(platform.data, "state"), { recursive: true, mode: 0o700 });
  const workspace = join(platform.data, "workspace");
  const command = await pulumiCommand(platform.data, platform.tools.pulumi);
  // The program runs in this process, and the Kubernetes provider takes its default from there.
  process.env["KUBECONFIG"] = platform.kubeconfig;
  return { command, workspace, environment: engineEnvironment(platform) };
}

function engineEnvironment(platform: Platform): Record<string, string> {
  const [tag, run] = platform.tag;
  return {
    PATH: `${platform.pluginPath}:${process.env["PATH"] ?? ""}`,
    KUBECONFIG: platform.kubeconfig,
    PULUMI_HOME: pulumiHome(),
    // Without `metadata=skip`, each write computes two more checksums of the whole state, for files that nothing reads (gocloud.dev/blob/fileblob).
    PULUMI_BACKEND_URL: `file://${join(platform.data, "state")}?metadata=skip`,
    PULUMI_CONFIG_PASSPHRASE: localSecret(platform.data, "passphrase"),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    [tag]: run,
  };
}

/**
 * A stack whose program has a plan, or one of another program.
 * `checkpoints`: whether the engine writes the state after each step; default: no, since they take most of the time of a local deployment
 */
type Deployable = Pick<LocalStack, "stack"> &
  Partial<Pick<LocalStack, "plan" | "settings">> & { checkpoints?: boolean };

/** No other machine uses the data folder. */
const LOCAL = { checkpoints: false, isOwnFolder: true };

/**
 * Builds what the stack deploys, recovers an interrupted deployment, and deploys the stack.
 * @param policy whether the policy pack runs. Default: it does not, since the program may be any
 */
export async function deploy(local: Deployable, progress: Progress, policy = NO_POLICY): Promise<Changes> {
  if (local.settings) await buildFor(local.settings, progress);
  return progress.step(
    "Deploying the local stack",
    async (report) => (await apply({ ...LOCAL, ...local, policy }, "up", report)).changes,
    "15 s",
  );
}

/** Removes everything that the stack, or an interrupted deployment of it, deployed. */
export function destroy(local: Deployable, progress: Progress): Promise<Changes> {
  const work = async (report: Report): Promise<Changes> =>
    (await apply({ ...LOCAL, ...local, policy: NO_POLICY }, "destroy", report)).changes;
  return progress.step("Removing the local stack", work, "20 s");
}
