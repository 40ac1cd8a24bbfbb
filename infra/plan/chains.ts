/** The middlewares of each route, in order. */
import { protectionOf, type Service } from "../../protections/table.ts";
import type { Exposure } from "./exposure.ts";
import { ECHO_PATHS } from "./matchers.ts";
import type { ForwardAuth, MiddlewareSpec } from "./middleware.ts";

/** Removes headers that a client can forge; first in every chain. */
const STRIP: MiddlewareSpec = { name: "gatehouse-strip", kind: "strip" };
/** Makes the application receive the path that the gateway matched; second in every chain. */
const TARGET: MiddlewareSpec = { name: "gatehouse-target", kind: "target" };
/** Of the echo, which its rule does not match. */
export const REFUSED_ECHOES: MiddlewareSpec = {
  name: "gatehouse-refused-echoes",
  kind: "refused-paths",
  names: ECHO_PATHS,
};
/** Shows a page if the outpost answers a callback with an empty 400. */
const SIGN_IN_ERROR: MiddlewareSpec = { name: "gatehouse-sign-in-error", kind: "sign-in-error" };
/** Sets what only the proxy in front of the gateway receives. */
const UPSTREAM: MiddlewareSpec = { name: "gatehouse-upstream", kind: "upstream" };

/**
 * Returns the chain of an exposure.
 * @param service its service; undefined for hosts that the stack adds
 * @param refusal response of forward auth to a request without a session
 */
export function chain(
  exposure: Exposure,
  service: Service | undefined,
  refusal: ForwardAuth["refusal"],
): MiddlewareSpec[] {
  const { gateway } = protectionOf(exposure.protection);
  const authenticates = exposure.authentication !== "none" && gateway !== undefined && service !== undefined;
  return [...openChain(exposure), ...(authenticates ? gateway.middlewares(exposure, service, refusal) : [])];
}

/** Returns the chain of an open route. */
export function openChain({ tls }: Exposure): MiddlewareSpec[] {
  return tls?.termination === "upstream" ? [STRIP, TARGET, UPSTREAM] : [STRIP, TARGET];
}

/** Returns the chain of the outpost's own path. */
export function outpostChain(exposure: Exposure): MiddlewareSpec[] {
  return [...openChain(exposure), SIGN_IN_ERROR];
}

/** Returns the redirect from HTTP to HTTPS. */
export function redirect(port: number | undefined): MiddlewareSpec {
  const name = port === undefined ? "gatehouse-https" : `gatehouse-https-${port}`;
  return { name, kind: "redirect", port };
}
