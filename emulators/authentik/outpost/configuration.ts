import type { Provider } from "../objects.ts";

/** The fields of a provider that outposts get unchanged. */
export const COPIED_FIELDS = [
  ...(["pk", "name", "external_host", "mode", "client_id", "client_secret", "cookie_secret", "cookie_domain"] as const),
  ...(["skip_path_regex", "intercept_header_auth", "basic_auth_enabled"] as const),
  ...(["basic_auth_user_attribute", "basic_auth_password_attribute"] as const),
];

/** One provider as `/outposts/proxy/` describes it to outposts (ProxyOutpostConfig). */
export type Configuration = Pick<Provider, (typeof COPIED_FIELDS)[number]> & {
  /** In seconds. */
  access_token_validity: number;
  scopes_to_request: string[];
  assigned_application_slug: string;
  assigned_application_name: string;
  oidc_configuration: Record<
    | "issuer"
    | "authorization_endpoint"
    | "token_endpoint"
    | "end_session_endpoint"
    | "introspection_endpoint"
    | "jwks_uri",
    string
  >;
};

/** The outpost that runs, and the addresses of authentik. */
export type Environment = {
  outpostName: string;
  embedded: boolean;
  /** `authentik_host` of the outpost's configuration. */
  authentikHost: string;
  /** AUTHENTIK_HOST_BROWSER; only for a standalone outpost. */
  browserHost: string;
};

export type Endpoints = {
  authorize: string;
  token: string;
  introspect: string;
  endSession: string;
  jwks: string;
  issuer: string;
  /** Origin under which tokens are requested, whatever address is connected to; empty = that address. */
  tokenOrigin: string;
};

/**
 * The addresses of one provider. An embedded outpost replaces the host of what browsers see by `authentikHost`, a standalone one by
 * `browserHost`; where that is empty, browsers get what the API names: `http://localhost` for the embedded outpost.
 */
export function endpointsOf(configuration: Configuration, environment: Environment): Endpoints {
  const { embedded, authentikHost, browserHost } = environment;
  const api = configuration.oidc_configuration;
  const endpoints = {
    authorize: api.authorization_endpoint,
    token: api.token_endpoint,
    introspect: api.introspection_endpoint,
    endSession: api.end_session_endpoint,
    jwks: api.jwks_uri,
    issuer: api.issuer,
    tokenOrigin: URL.parse(browserHost || authentikHost)?.origin ?? "",
  };
  const visible = URL.parse(embedded ? authentikHost : browserHost);
  if (!visible) return endpoints;
  const at = (address: string) => {
    const { pathname, search } = new URL(address);
    return visible.origin + pathname + search;
  };
  return {
    ...endpoints,
    authorize: at(api.authorization_endpoint),
    endSession: at(api.end_session_endpoint),
    issuer: at(api.issuer),
    jwks: embedded ? at(api.jwks_uri) : api.jwks_uri,
  };
}
