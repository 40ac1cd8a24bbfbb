import { waitUntilReady } from "./identity/readiness.ts";
import { pluginsResolve } from "./loopback.ts";
import { waitUntilAnswers } from "./postgres/readiness.ts";
import { clusterFacts } from "./prerequisites/cluster.ts";

/** What the program asks of running servers by itself, without a provider plugin. */
export const SERVERS = { clusterFacts, pluginsResolve, waitUntilAnswers, waitUntilReady };

/** See {@link SERVERS}. Tests answer in the place of servers. */
export type Servers = Readonly<typeof SERVERS>;
