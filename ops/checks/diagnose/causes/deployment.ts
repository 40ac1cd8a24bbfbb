/** Whether the deployment run failed, was killed, or has not come since the configuration was changed. */
import type { Exposure } from "../../../../infra/plan/types.ts";
import type { EngineState, Evidence } from "../evidence.ts";
import { seen } from "../observation.ts";
import { type Cause, type Finding } from "./finding.ts";
import { groups } from "./groups.ts";
import { provider } from "./provider.ts";
import { route } from "./route.ts";
import { serviceMissing } from "./running.ts";

/** What a deployment that did not come to its end leaves behind. */
const CONSEQUENCES: readonly Cause[] = [provider, route, groups, serviceMissing];

/** Applies only if the exposure differs from the plan, or could not be observed: a failure elsewhere explains nothing here. */
export const deployment: Cause = (exposure, evidence) => {
  const engine = seen(evidence.engine);
  if (engine === undefined) return undefined;
  const problem = notDeployed(exposure, engine) ?? (differs(exposure, evidence) ? unfinished(engine) : undefined);
  return problem && { ...problem, ...common(evidence) };
};

/** The same for the stack as a whole. */
export function deploymentOf(evidence: Evidence): Finding | undefined {
  const engine = seen(evidence.engine);
  const problem = engine && (neverDeployed(engine) ?? unfinished(engine));
  return problem && { ...problem, ...common(evidence) };
}

type Problem = Pick<Finding, "problem" | "evidence">;

function common({ context }: Evidence): Pick<Finding, "cause" | "hint"> {
  return { cause: "deployment", hint: `run ./deploy ${context}, which continues the last deployment` };
}

function notDeployed({ url }: Exposure, engine: EngineState): Problem | undefined {
  const never = neverDeployed(engine);
  if (never || engine.urls === undefined || engine.urls.includes(url)) return never;
  const evidence = [`the last completed deployment has ${engine.urls.length} URLs, and not ${url}`];
  const late = unfinished(engine);
  if (late) return { problem: late.problem, evidence: [...late.evidence, ...evidence] };
  return { problem: "it is in the configuration, but is not deployed", evidence };
}

function neverDeployed({ deployed }: EngineState): Problem | undefined {
  return deployed
    ? undefined
    : { problem: "the stack was never deployed", evidence: ["the engine's state has no resources"] };
}

function unfinished({ pending, last, urls }: EngineState): Problem | undefined {
  if (pending.length > 0) {
    const more = pending.length > 3 ? ` and ${pending.length - 3} more` : "";
    return {
      problem: "the last deployment run was interrupted",
      evidence: [`it did not complete: ${pending.slice(0, 3).join(", ")}${more}`],
    };
  }
  if (last !== undefined && last.result !== "succeeded") {
    return { problem: "the last deployment run failed", evidence: [`${last.kind} of ${last.ended}: ${last.result}`] };
  }
  if (urls !== undefined) return undefined;
  return {
    problem: "no deployment was completed",
    evidence: ["the engine's state has resources but no outputs"],
  };
}

function differs(exposure: Exposure, evidence: Evidence): boolean {
  const blind = "unseen" in evidence.cluster.routes && "unseen" in evidence.identity;
  return blind || CONSEQUENCES.some((cause) => cause(exposure, evidence) !== undefined);
}
