import { readable } from "../../../infra/prerequisites/readable.ts";
import type { Prerequisite } from "../../../infra/prerequisites/prerequisite.ts";
import { prerequisites } from "../../../infra/prerequisites/prerequisites.ts";
import { type Check, checkOf, skip } from "../check.ts";
import type { Inputs, ReachedCluster } from "./inputs.ts";

/** Returns the checks of the cluster that a deployment makes, too. */
export function prerequisiteChecks(
  { target: { settings, plan } }: Inputs,
  { facts }: ReachedCluster,
  subject: Prerequisite["subject"],
): Check[] {
  const own = prerequisites(settings, plan, facts).filter((one) => one.subject === subject);
  return own.map(({ name, result }) => checkOf(name, result));
}

/** Runs a check, or skips it if the API server does not allow the user to make its requests (403). */
export async function ifAllowed(
  name: string,
  reason: string,
  hint: string,
  work: () => Promise<Check>,
): Promise<Check> {
  return (await readable(work(), [403])) ?? skip(name, reason, hint);
}
