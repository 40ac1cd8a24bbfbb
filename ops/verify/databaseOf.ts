/** Where the data API's database is, as this machine reaches it. */
import type { Place, StackContext } from "../context/context.ts";
import { openDataStack, ownDatabase } from "../contract/connection.ts";
import { ContractError } from "../contract/contract.ts";
import { LockFolder } from "../contract/lockFolder.ts";
import type { DatabaseTarget } from "./database.ts";
import type { Reached } from "./reach.ts";

/** Why it cannot be looked at. */
export interface Unreachable {
  readonly reason: string;
  readonly cure: string;
}

/** @returns the database and what was promised of it, or why it cannot be looked at from here */
export function databaseOf(context: StackContext, place: Place, secrets: Reached): DatabaseTarget | Unreachable {
  const { stack, settings } = context;
  if (settings.postgres?.host === undefined) {
    const cure = "set postgres.install.host to where this machine reaches it, e.g. through kubectl port-forward";
    return { reason: "the server is reached inside the cluster alone", cure };
  }
  const own = { stack, ...place, environment: { ...context.environment, ...secrets.known } };
  try {
    return { connection: ownDatabase(own, openDataStack(own)), promises: new LockFolder(place.project, stack) };
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    const [reason = "", cure = "set the environment variable"] = error.message.split("; ");
    return { reason: secrets.fault === undefined ? reason : `${reason} (${secrets.fault})`, cure };
  }
}
