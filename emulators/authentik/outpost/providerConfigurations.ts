import { seconds } from "../duration.ts";
import { issuerOf } from "../issuer.ts";
import { mappingsOf } from "../mappings.ts";
import type { Outpost, Provider } from "../objects.ts";
import type { Store } from "../store.ts";
import { type Configuration, COPIED_FIELDS } from "./configuration.ts";

/** Returns the configurations that `outpost` serves, or all outposts, sorted by name. A provider without an application has none. */
export function configurationsOf(store: Store, origin: string, outpost?: Outpost): Configuration[] {
  return store
    .list("provider")
    .filter((provider) => provider.model === "proxy" && (!outpost || outpost.providers.includes(provider.pk)))
    .flatMap((provider) => configurationOf(store, origin, provider) ?? [])
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function configurationOf(store: Store, origin: string, provider: Provider): Configuration | undefined {
  const application = store.find("application", { provider: provider.pk });
  if (!application) return undefined;
  const scopes = mappingsOf(store, provider).map(({ scope_name }) => scope_name);
  const shared = `${origin}/application/o`;
  const own = `${shared}/${application.slug}`;
  return {
    ...(Object.fromEntries(COPIED_FIELDS.map((field) => [field, provider[field]])) as Pick<
      Provider,
      (typeof COPIED_FIELDS)[number]
    >),
    access_token_validity: seconds(provider.access_token_validity),
    scopes_to_request: [...new Set(scopes)],
    assigned_application_slug: application.slug,
    assigned_application_name: application.name,
    oidc_configuration: {
      issuer: issuerOf(store, provider, origin),
      authorization_endpoint: `${shared}/authorize/`,
      token_endpoint: `${shared}/token/`,
      end_session_endpoint: `${own}/end-session/`,
      introspection_endpoint: `${shared}/introspect/`,
      jwks_uri: `${own}/jwks/`,
    },
  };
}

/** Further fields of the API, which the emulated outposts do not use. */
export const FURTHER_FIELDS = {
  internal_host: "",
  internal_host_ssl_validation: true,
  certificate: null,
};
export const furtherOidcFields = (origin: string) => ({
  userinfo_endpoint: `${origin}/application/o/userinfo/`,
  response_types_supported: ["code"],
  id_token_signing_alg_values_supported: ["HS256"],
  subject_types_supported: ["public"],
  token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
});
