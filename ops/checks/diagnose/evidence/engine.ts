/** Reads the record of a stack with the CLI of the engine: opening the stack would create a missing one. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { ShellEnvironment, StackContext } from "../../../context/context.ts";
import { pulumiOf } from "../../../engine/open.ts";
import { creationsFile, readCreationsFile } from "../../../engine/recovery/creations.ts";
import { deployedAccess } from "../../../engine/state/stackState.ts";
import type { Progress } from "../../../terminal/progress.ts";
import type { Deployment, Resource } from "../../../engine/state/state.ts";
import type { EngineState, Observation } from "../evidence.ts";
import { observe, MAX_OBSERVATION_MS } from "../observation.ts";

const quiet: Progress = { step: (_title, work) => work(() => undefined), note: () => undefined };

/** How the CLI is run for a stack. */
export interface Cli {
  readonly pulumi: string;
  readonly folder: string;
  readonly stack: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

interface Update {
  readonly kind: string;
  readonly result: string;
  readonly endTime?: string;
  readonly startTime?: string;
}

export function observeCli(context: StackContext, { project }: ShellEnvironment): Promise<Observation<Cli>> {
  return observe("the Pulumi CLI", async () => {
    const pulumi = await pulumiOf(context, quiet);
    const { stack } = context;
    return { pulumi, folder: project, stack, environment: { ...process.env, ...context.environment } };
  });
}

/** @param workspace folder in which an interrupted deployment of this stack leaves its record of creations */
export function observeEngine(found: Observation<Cli>, workspace: string): Promise<Observation<EngineState>> {
  return observe("the engine's state", async () => {
    if ("unavailable" in found) throw new Error(found.unavailable);
    const cli = found.value;
    const names = JSON.parse(await run(cli, ["stack", "ls", "--json"])) as { name: string }[];
    if (!names.some(({ name }) => name.split("/").at(-1) === cli.stack)) {
      return { deployed: false, last: undefined, pending: [], urls: undefined };
    }
    const stack = ["--stack", cli.stack];
    const [exported, history] = await Promise.all([
      run(cli, ["stack", "export", ...stack]),
      run(cli, ["stack", "history", "--json", "--page-size", "10", ...stack]),
    ]);
    const { deployment } = JSON.parse(exported) as { deployment: Deployment };
    const recorded = await readCreationsFile(creationsFile(workspace, cli.stack));
    return engineState(deployment, JSON.parse(history === "" ? "[]" : history) as Update[] | null, recorded);
  });
}

/**
 * @param updates newest first
 * @param recorded creations whose result the state may lack
 */
export function engineState(
  deployment: Deployment,
  updates: readonly Update[] | null,
  recorded: readonly Resource[],
): EngineState {
  const resources = deployment.resources ?? [];
  const last = updates?.find(({ kind }) => kind === "update" || kind === "destroy");
  const access = deployedAccess(resources);
  const begun = [...(deployment.pending_operations ?? []).map(({ resource }) => resource), ...recorded];
  const pending = [...new Set(begun.map(({ urn }) => urn.split("::").at(-1) ?? ""))];
  return {
    deployed: resources.some(({ type }) => type !== "pulumi:pulumi:Stack" && !type.startsWith("pulumi:providers:")),
    last: last && { kind: last.kind, result: last.result, ended: last.endTime ?? last.startTime ?? "" },
    pending,
    urls: access && [...access.host.values()].map(({ url }) => url),
  };
}

/** The secret template variables of the stack file in clear, as full `KEY=value`; for real contexts. */
export async function decryptedVariables(
  found: Observation<Cli>,
): Promise<Observation<Readonly<Record<string, string>>>> {
  return observe("the stack's secrets", async () => {
    if ("unavailable" in found) throw new Error(found.unavailable);
    const text = await run(found.value, ["config", "--show-secrets", "--json", "--stack", found.value.stack]);
    const config = JSON.parse(text) as Record<string, { value?: string; secret: boolean }>;
    const secrets = Object.entries(config).filter(([, { secret }]) => secret);
    return Object.fromEntries(secrets.map(([key, { value }]) => [key.replace(/^variables:/, ""), value ?? ""]));
  });
}

async function run({ pulumi, folder, environment }: Cli, args: readonly string[]): Promise<string> {
  const env = { ...environment, PULUMI_SKIP_UPDATE_CHECK: "true" };
  const options = { cwd: folder, env, timeout: MAX_OBSERVATION_MS, maxBuffer: Number.POSITIVE_INFINITY };
  const { stdout } = await promisify(execFile)(pulumi, [...args, "--non-interactive"], options).catch(
    (error: unknown) => {
      const { stderr, message } = error as Error & { stderr?: string };
      const output = stderr?.split("\n").find((line) => line.startsWith("error:")) ?? message.split("\n", 1)[0];
      return Promise.reject(new Error(`pulumi ${args.slice(0, 2).join(" ")} failed: ${output}`));
    },
  );
  return stdout;
}
