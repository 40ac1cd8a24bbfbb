/** Connections to a Postgres server that the stack installs. */

/** `max_connections` of the server. */
export const MAX_CONNECTIONS = 200;
/** What the others need: authentik's server and worker, pipelines, the administrator. */
const RESERVED = 60;
/** Maximum number of connections of the data API's login. */
export const MAX_AUTHENTICATOR_CONNECTIONS = MAX_CONNECTIONS - RESERVED;

/** Returns the number of connections of all replicas of PostgREST, one more during a roll-out, each with a listener for changes of the schema and one to spare. */
export function authenticatorConnections(limits: {
  readonly maxReplicas: number;
  /** Of the pool of one replica. */
  readonly connections: number;
}): number {
  return (limits.maxReplicas + 1) * (limits.connections + 2);
}
