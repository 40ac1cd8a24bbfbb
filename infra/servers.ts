import { findGroup } from "./identity/groups.ts";
import { waitUntilReady } from "./identity/readiness.ts";
import { pluginsResolve } from "./loopback.ts";
import { waitUntilAnswers } from "./postgres/readiness.ts";
import { clusterFacts } from "./prerequisites/cluster.ts";

/** Requests that the program sends to running servers itself, without a provider plugin. */
export const SERVERS = { clusterFacts, findGroup, pluginsResolve, waitUntilAnswers, waitUntilReady };

/** Functions of {@link SERVERS}, which tests replace. */
export type Servers = Readonly<typeof SERVERS>;
