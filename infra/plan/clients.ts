import type { Settings } from "../../config/settings.ts";
import { protectionOf } from "../../protections/table.ts";
import type { Exposure, OAuthClient } from "./types.ts";

/** Returns the clients of the identity provider: one for each service that signs users in itself and is exposed. */
export function clients({ services }: Settings, exposures: readonly Exposure[]): OAuthClient[] {
  const listed = exposures.filter(({ role }) => role === "service");
  const byEntry = Map.groupBy(listed, ({ entry }) => entry);
  return services.flatMap((service) => {
    const [first, ...others] = (byEntry.get(service.name) ?? []).map(({ url }) => url);
    return (first !== undefined && protectionOf(service.type).client?.(service, [first, ...others])) || [];
  });
}
