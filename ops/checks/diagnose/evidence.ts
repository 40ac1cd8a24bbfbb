/** The observations as plain data, the only input of the causes. Contains no secret by construction: only the named fields are read. */
import type { Settings } from "../../../config/settings.ts";
import type { Plan } from "../../../infra/plan/types.ts";
import type { Hop } from "../../clients/http.ts";
import type { observeCluster } from "./evidence/cluster.ts";
import type { ObservedRecords } from "./evidence/identity.ts";
import type { Observation } from "../observation.ts";

export interface Evidence {
  /** Context of the cluster, for kubectl in hints. */
  readonly context: string;
  /** Its name on the command line, for commands of Gatehouse in hints. */
  readonly given: string;
  readonly settings: Settings;
  readonly plan: Plan;
  readonly cluster: Cluster;
  readonly identity: Observation<ObservedRecords>;
  /** Origin that the identity provider takes for its own in a request such as a browser sends. */
  readonly ownOrigin: Observation<string>;
  readonly engine: Observation<EngineState>;
  /** By host. */
  readonly names: ReadonlyMap<string, Observation<NameAnswer>>;
  /** By URL. */
  readonly answers: ReadonlyMap<string, Answers>;
  /** Number of hosts that were not requested within the time for all. */
  readonly notRequested: number;
}

/** What was read of the cluster; the user may not be allowed to read a part of it. */
type Cluster = Awaited<ReturnType<typeof observeCluster>>;

/** The engine's record of deployments. */
export interface EngineState {
  readonly deployed: boolean;
  /** The newest update or destroy. */
  readonly last: { readonly kind: string; readonly result: string; readonly ended: string } | undefined;
  /** Operations that were not completed when a deployment was interrupted. */
  readonly pending: readonly string[];
  /** Every URL of the last completed deployment. */
  readonly urls: readonly string[] | undefined;
}

/** The addresses of a host, or the error code of the system's resolver. */
export type NameAnswer = { readonly addresses: readonly string[] } | { readonly code: string };

export interface Answers {
  readonly withoutSession: Trail;
  /** Of an allowed user; undefined if no password is known, or no sign-in is required. */
  readonly withSession: { readonly username: string; readonly trail: Trail } | undefined;
}

export interface Trail {
  readonly hops: readonly Hop[];
  readonly end: "answered" | "loop" | "too many redirects" | { readonly error: string };
  /** Kind of the last response, by its text. */
  readonly text: "gateway: no route" | "outpost: no provider" | "refused: origin" | "denied" | "other";
}
