/** Whether the last deployment failed, was interrupted, or is older than the configuration. */
import type { Exposure } from "../../../../infra/plan/types.ts";
import type { EngineState } from "../evidence.ts";
import { observed } from "../../observation.ts";
import { type Cause, causeFrom, type CauseFinding, type ComparedEvidence, type Statement } from "./cause.ts";
import { groups } from "./groups.ts";
import { provider } from "./provider.ts";
import { route } from "./route.ts";
import { serviceMissing } from "./running.ts";
import { argument, firstOf } from "../../../text.ts";

/** What a deployment that was not completed leaves behind. */
const CONSEQUENCES: readonly Cause[] = [provider, route, groups, serviceMissing];

/** Applies only if the exposure differs from the plan, or could not be observed: a failure elsewhere explains nothing here. */
export const deployment: Cause = (exposure, evidence) => {
  const engine = observed(evidence.engine);
  if (engine === undefined) return undefined;
  return found(
    notDeployed(exposure, engine) ?? (differs(exposure, evidence) ? unfinished(engine) : undefined),
    evidence,
  );
};

/** Returns the problem of the last deployment for the stack as a whole. */
export function deploymentOf(evidence: ComparedEvidence): CauseFinding | undefined {
  const engine = observed(evidence.engine);
  return found(engine && (neverDeployed(engine) ?? unfinished(engine)), evidence);
}

function found(problem: Statement | undefined, { given }: ComparedEvidence): CauseFinding | undefined {
  return causeFrom(
    "deployment",
    problem,
    `run npx gatehouse deploy ${argument(given)}, which continues the last deployment`,
  );
}

function notDeployed({ url }: Exposure, engine: EngineState): Statement | undefined {
  const never = neverDeployed(engine);
  if (never || engine.urls === undefined || engine.urls.includes(url)) return never;
  const evidence = `the last completed deployment has ${engine.urls.length} URLs, and not ${url}`;
  return [...(unfinished(engine) ?? (["it is in the configuration, but is not deployed"] as const)), evidence];
}

function neverDeployed({ deployed }: EngineState): Statement | undefined {
  return deployed ? undefined : ["the stack was never deployed", "the engine's state has no resources"];
}

function unfinished({ pending, last, urls }: EngineState): Statement | undefined {
  if (pending.length > 0) {
    return ["the last deployment run was interrupted", `it did not complete: ${firstOf(pending, 3).join(", ")}`];
  }
  if (last !== undefined && last.result !== "succeeded") {
    return ["the last deployment run failed", `${last.kind} of ${last.ended}: ${last.result}`];
  }
  if (urls !== undefined) return undefined;
  return ["no deployment was completed", "the engine's state has resources but no outputs"];
}

function differs(exposure: Exposure, evidence: ComparedEvidence): boolean {
  const objects = observed(evidence.cluster.objects);
  const areRoutesUnknown = objects === undefined || objects.unread.has("IngressRoute");
  const isUnknown = areRoutesUnknown && observed(evidence.identity) === undefined;
  return isUnknown || CONSEQUENCES.some((cause) => cause(exposure, evidence) !== undefined);
}
