import type { Deprecation } from "../../config/sections/dataApi/dataApi.ts";
import type { Count } from "./matchers.ts";
import type { PlainMiddleware } from "../gateway/traefik.ts";

/** A Traefik Middleware. In the namespace of the routes that use it: references across namespaces stay forbidden (Traefik docs, `allowCrossNamespace`). */
export type Middleware = { readonly name: string; readonly namespace: string } & (
  | { readonly kind: "strip" | "target" | "background" | "background-end" | "upstream" | "sign-in-error" }
  | { readonly kind: "redirect"; readonly port: number | undefined }
  | { readonly kind: "basic-auth"; readonly service: string }
  | { readonly kind: "anonymous"; readonly upstream: boolean }
  | { readonly kind: "unavailable" | "unrouted-query" }
  | { readonly kind: "count"; readonly count: Count }
  | { readonly kind: "rate-limit"; readonly average: number; readonly burst: number; readonly upstream: boolean }
  | { readonly kind: "in-flight"; readonly amount: number; readonly upstream: boolean }
  | { readonly kind: "profile"; readonly schema: string; readonly deprecation: Deprecation | undefined }
  | { readonly kind: "replace-path"; readonly path: string }
  /** Refuses paths that have a segment of these names, in any encoding. */
  | { readonly kind: "refused-paths"; readonly names: readonly string[] }
  | ({ readonly kind: "forward-auth" } & ForwardAuth)
  /** The authentication of a service whose `spec` needs nothing that only exists after a deployment. */
  | { readonly kind: "authentication"; readonly service: string; readonly spec: PlainMiddleware }
);

/** A middleware without its namespace. */
export type MiddlewareSpec = Middleware extends infer Each
  ? Each extends Middleware
    ? Omit<Each, "namespace">
    : never
  : never;

const AUTHENTICATION: readonly Middleware["kind"][] = ["forward-auth", "basic-auth", "authentication"];

/** Returns whether middlewares of a kind authenticate requests. */
export function authenticates(kind: string): boolean {
  return AUTHENTICATION.some((one) => one === kind);
}

/** The request of forward auth to the identity provider. */
export interface ForwardAuth {
  /** Name of the outpost. */
  readonly outpost: string;
  /** Response to a request without a session: a redirect to the login, or 401. */
  readonly refusal: "login" | "unauthorized";
  /** Whether TLS is terminated before the gateway. */
  readonly upstream: boolean;
}
