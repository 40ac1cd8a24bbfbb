/** The engine's record of a stack. */
import { hasStack, type PulumiCli } from "../../../engine/pulumiCli.ts";
import { readRecord } from "../../../engine/recovery/stepRecord.ts";
import { deployedAccess } from "../../../engine/state/stackState.ts";
import { isProvider, lastOf } from "../../../engine/step.ts";
import type { Deployment, Resource } from "../../../engine/state/state.ts";
import type { EngineState } from "../evidence.ts";
import { type Observation, observe, required } from "../../observation.ts";

interface Update {
  readonly kind: string;
  readonly result: string;
  readonly endTime?: string;
  readonly startTime?: string;
}

/**
 * Reads the state and the last update of a stack.
 * @param workspace folder in which an interrupted deployment of this stack leaves its record of steps
 */
export function observeEngine(found: Observation<PulumiCli>, workspace: string): Promise<Observation<EngineState>> {
  return observe("the engine's state", async () => {
    const cli = required(found);
    if (!(await hasStack(cli))) return { deployed: false, last: undefined, pending: [], urls: undefined };
    const { stack: own, run } = cli;
    const stack = ["--stack", own];
    const [exported, history] = await Promise.all([
      run("stack", "export", ...stack),
      run("stack", "history", "--json", "--page-size", "10", ...stack),
    ]);
    const { deployment } = JSON.parse(exported) as { deployment: Deployment };
    const recorded = await readRecord({ name: own, workspace: { workDir: workspace } });
    return engineState(deployment, JSON.parse(history === "" ? "[]" : history) as Update[] | null, recorded);
  });
}

/**
 * Returns what a diagnosis needs of the state of a stack.
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
  const pending = [...new Set(begun.map(({ urn }) => lastOf(urn, "::")))];
  return {
    deployed: resources.some(({ type }) => type !== "pulumi:pulumi:Stack" && !isProvider(type)),
    last: last && { kind: last.kind, result: last.result, ended: last.endTime ?? last.startTime ?? "" },
    pending,
    urls: access && [...access.host.values()].map(({ url }) => url),
  };
}
