/** Which middlewares stand in front of what, by name. */
import { dnsLabel } from "./names.ts";
import type { Exposure, ForwardAuth, Middleware } from "./types.ts";

/** A middleware without the namespace that it goes to. */
export type MiddlewareSpec = Middleware extends infer Each
  ? Each extends Middleware
    ? Omit<Each, "namespace">
    : never
  : never;

/** Drops what a client may forge; first in every chain. */
const STRIP: MiddlewareSpec = { name: "gatehouse-strip", kind: "strip" };
/** Tells the outpost of a request that no login page can answer. */
const BACKGROUND: MiddlewareSpec = { name: "gatehouse-background", kind: "background" };
/** Takes back what only the outpost had to know. */
const BACKGROUND_END: MiddlewareSpec = { name: "gatehouse-background-end", kind: "background-end" };
/** Shows a page where the outpost answers a callback with an empty 400. */
const SIGN_IN_ERROR: MiddlewareSpec = { name: "gatehouse-sign-in-error", kind: "sign-in-error" };
/** Says what only the proxy before the gateway knew. */
const UPSTREAM: MiddlewareSpec = { name: "gatehouse-upstream", kind: "upstream" };

/**
 * The chain in front of an exposure.
 * @param refusal what forward auth answers without a session
 */
export function chain(exposure: Exposure, refusal: ForwardAuth["refusal"]): MiddlewareSpec[] {
  return [...openChain(exposure), ...authentication(exposure, refusal)];
}

/** The chain in front of what is open. */
export function openChain({ tls }: Exposure): MiddlewareSpec[] {
  return tls?.ends === "upstream" ? [STRIP, UPSTREAM] : [STRIP];
}

/** The chain in front of the outpost's own path. */
export function outpostChain(exposure: Exposure): MiddlewareSpec[] {
  return [...openChain(exposure), SIGN_IN_ERROR];
}

/** Leads from HTTP to HTTPS. */
export function redirect(port: number | undefined): MiddlewareSpec {
  const name = port === undefined ? "gatehouse-https" : `gatehouse-https-${port}`;
  return { name, kind: "redirect", port };
}

function authentication(exposure: Exposure, refusal: ForwardAuth["refusal"]): MiddlewareSpec[] {
  const { authentication, entry, outpost, tls } = exposure;
  if (authentication === "basic-auth" && entry !== undefined) {
    return [{ name: dnsLabel(entry, "basic-auth"), kind: "basic-auth", service: entry }];
  }
  if (authentication !== "forward-auth" || outpost === undefined) return [];
  const upstream = tls?.ends === "upstream";
  const variant = [...(refusal === "unauthorized" ? ["401"] : []), ...(upstream ? ["upstream"] : [])];
  const name = dnsLabel(outpost, "forward-auth", ...variant);
  const forwardAuth: MiddlewareSpec = { name, kind: "forward-auth", outpost, refusal, upstream };
  return refusal === "unauthorized" ? [BACKGROUND, forwardAuth, BACKGROUND_END] : [forwardAuth];
}
