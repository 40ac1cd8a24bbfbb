import type { KubeConfig } from "@kubernetes/client-node";
import type { ClusterFacts } from "../../../infra/prerequisites/cluster.ts";
import type { PulumiCli } from "../../engine/pulumiCli.ts";
import type { ShellEnvironment, StackContext } from "../../context/context.ts";
import type { UserError } from "../../../config/errors/userError.ts";
import type { Observation } from "../observation.ts";
import type { Secrets } from "../secrets.ts";

export interface ReachedCluster {
  readonly config: KubeConfig;
  readonly facts: ClusterFacts;
}

/** What the checks read; each system is queried once, and one that does not answer is reported once. */
export interface Inputs {
  readonly target: StackContext;
  readonly shell: ShellEnvironment;
  readonly cli: Observation<PulumiCli>;
  readonly secrets: Secrets;
  /** The cluster, or why it cannot be read. */
  readonly cluster: ReachedCluster | UserError;
}
