/** Forward auth: the gateway delegates the authentication of each request to an outpost of authentik. */
import type { TraefikMiddleware } from "../infra/gateway/traefik.ts";
import { IDENTITY_HEADERS } from "../infra/identity/headers.ts";
import { dnsLabel } from "../infra/plan/dnsLabel.ts";
import type { ForwardAuth, MiddlewareSpec } from "../infra/plan/middleware.ts";
import type { Expectation } from "./expectation.ts";
import type { GatewayAuthentication } from "./protection.ts";

/** Path of an outpost for callbacks and sign-outs on a protected host (authentik docs, "Forward auth"). */
export const OUTPOST_PATH = "/outpost.goauthentik.io";

/**
 * What an outpost leaves open: nothing, since public paths are routes of the gateway. A regular expression without a match, because the Terraform
 * provider sends no empty value, so that `--refresh` could not remove what someone wrote there (docs/authentik.md).
 */
export const NO_OPEN_PATHS = String.raw`[^\s\S]`;

/** Marks a background request for the outpost, which then returns 401 instead of a redirect to the login page. */
const BACKGROUND: MiddlewareSpec = { name: "gatehouse-background", kind: "background" };
/** Removes the headers for the outpost. */
const BACKGROUND_END: MiddlewareSpec = { name: "gatehouse-background-end", kind: "background-end" };

export const forwardAuth: GatewayAuthentication = {
  name: "forward-auth",
  headers: IDENTITY_HEADERS,
  hasBackgroundRule: true,
  middlewares({ outpost, tls }, _, refusal) {
    if (outpost === undefined) return [];
    const upstream = tls?.termination === "upstream";
    const variant = [...(refusal === "unauthorized" ? ["401"] : []), ...(upstream ? ["upstream"] : [])];
    const name = dnsLabel(outpost, "forward-auth", ...variant);
    const middleware: MiddlewareSpec = { name, kind: "forward-auth", outpost, refusal, upstream };
    return refusal === "unauthorized" ? [BACKGROUND, middleware, BACKGROUND_END] : [middleware];
  },
};

export const FORWARD_AUTH_EXPECTATION: Expectation = {
  page: { kind: "login" },
  refusals: [
    {
      name: "without a session, from a background request",
      headers: { "x-requested-with": "XMLHttpRequest" },
      status: 401,
    },
  ],
  signIn: "session",
};

/**
 * Returns the path that forward auth requests at an outpost. The endpoint for nginx answers 401 where the one for Traefik redirects to the login.
 * It reads the URL from `X-Original-URI`, and admits everything below the outpost's own path, so that the header is never that of the client
 * (gatehouse-background).
 */
export function authPath(refusal: ForwardAuth["refusal"]): string {
  return `${OUTPOST_PATH}/auth/${refusal === "login" ? "traefik" : "nginx"}`;
}

/** Returns `spec` of the middleware. */
export function forwardAuthSpec<T>(address: T, { refusal, upstream }: ForwardAuth): TraefikMiddleware<T> {
  return {
    forwardAuth: {
      address,
      // Explicit, because its meaning changed: the gateway computes X-Forwarded-* itself and ignores those of clients.
      trustForwardHeader: upstream,
      // A name that is not listed here passes from the client to the application unchanged.
      authResponseHeaders: [...IDENTITY_HEADERS],
      // An allowlist keeps RFC 7239 `Forwarded` and aliases away from the identity provider (traefik #12657).
      authRequestHeaders: [
        "Cookie",
        "Authorization",
        "Accept",
        "User-Agent",
        "X-Requested-With",
        ...(refusal === "login" ? [] : ["X-Original-URI"]),
      ],
      maxResponseBodySize: 1_048_576,
    },
  };
}
