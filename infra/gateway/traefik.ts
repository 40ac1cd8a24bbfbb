import type { MiddlewareSpec } from "../../sdks/traefik/index.d.ts";

type ForwardAuth = NonNullable<MiddlewareSpec["forwardAuth"]>;
type BasicAuth = NonNullable<MiddlewareSpec["basicAuth"]>;

/** `spec` of a Middleware that contains nothing which exists only after a deployment. */
export type PlainMiddleware = Omit<MiddlewareSpec, "forwardAuth" | "basicAuth">;

/** `spec` of any Middleware. `T` is the type of what exists only after a deployment: an address, and the name of a Secret. */
export interface TraefikMiddleware<T = string> extends PlainMiddleware {
  forwardAuth?: Omit<ForwardAuth, "address"> & { address: T };
  basicAuth?: Omit<BasicAuth, "secret"> & { secret: T };
}
