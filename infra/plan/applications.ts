import { isForwarded } from "./exposure.ts";
import type { Plan } from "./types.ts";

/** An application in the identity provider. */
interface Application {
  /** The entry of `protected_services`. */
  readonly service: string;
  readonly slug: string;
  readonly groups: readonly string[];
}

/** Returns the applications of all services: one for each exposure with forward auth, and one for each client. */
export function applicationsOf({ exposures, clients }: Pick<Plan, "exposures" | "clients">): Application[] {
  return [
    ...exposures.filter(isForwarded).map(({ entry, ...exposure }) => ({ ...exposure, service: entry ?? "" })),
    ...clients,
  ].map(({ service, application, groups }) => ({ service, slug: application.slug, groups }));
}
