import type { Settings } from "../../config/settings.ts";
import { exposures } from "./exposures.ts";
import { dataPlan } from "./grants.ts";
import { records } from "./records.ts";
import { routes } from "./routes.ts";
import type { Plan } from "./types.ts";

/** What a stack exposes. Pure, and linear in the number of exposures. */
export function computePlan(settings: Settings): Plan {
  const all = exposures(settings);
  return {
    stack: settings.stack,
    exposures: all,
    routes: routes(settings, all),
    records: records(settings.domains, all),
    groups: groups(settings),
    data: settings.dataApi && settings.postgres && dataPlan(settings.dataApi, settings.postgres.user),
    warnings: settings.warnings,
  };
}

/** Every group that something names. */
function groups({ services, identityProvider }: Settings): string[] {
  const named = [...services, ...identityProvider.sampleUsers].flatMap((named) => named.groups);
  return [...new Set([...identityProvider.groups, ...named])].sort();
}
