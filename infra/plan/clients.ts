import type { Settings } from "../../config/settings.ts";
import { clientSecretName } from "./names.ts";
import type { Exposure, OAuthClient, Tokens } from "./types.ts";

/** One client per oauth2 service that is exposed somewhere, with a redirect URI per exposure. */
export function clients({ services }: Settings, exposures: readonly Exposure[]): OAuthClient[] {
  const listed = exposures.filter(({ role }) => role === "service");
  const byEntry = Map.groupBy(listed, ({ entry }) => entry);
  return services.flatMap((service) => {
    if (service.type !== "oauth2") return [];
    const urls = (byEntry.get(service.name) ?? []).map(({ url }) => url);
    const [launchUrl] = urls;
    if (launchUrl === undefined) return [];
    return {
      service: service.name,
      application: { name: service.applicationSlug, slug: service.applicationSlug },
      groups: service.groups,
      redirectUris: urls.map((url) => url + service.oauth.redirectUri),
      launchUrl,
      namespace: service.backend.namespace,
      secretName: clientSecretName(service.name),
      tokens: tokens(service.oauth),
    };
  });
}

function tokens({ scopes, clientType, accessTokenValidity, refreshTokenValidity, subjectMode }: Tokens): Tokens {
  return { scopes, clientType, accessTokenValidity, refreshTokenValidity, subjectMode };
}
