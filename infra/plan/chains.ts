/** The middlewares of each route, in order. */
import { protectionOf, type Service } from "../../protections/table.ts";
import type { Exposure } from "./exposure.ts";
import type { ForwardAuth, MiddlewareSpec } from "./middleware.ts";

/** Removes headers that a client can forge; first in every chain. */
const STRIP: MiddlewareSpec = { name: "gatehouse-strip", kind: "strip" };
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
  return tls?.termination === "upstream" ? [STRIP, UPSTREAM] : [STRIP];
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
