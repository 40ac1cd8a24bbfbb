import type { z } from "zod";
import type { SecretText } from "../config/variables/secretText.ts";
import type { Exposure } from "../infra/plan/exposure.ts";
import type { ForwardAuth, MiddlewareSpec } from "../infra/plan/middleware.ts";
import type { EntrySettings } from "./entry.ts";
import type { Expectation } from "./expectation.ts";
import type { OAuthClient } from "./oauthClient.ts";

/** One protection: everything that differs between it and the others. `table.ts` lists them. */
export interface Protection<Service extends EntrySettings = EntrySettings> {
  /** Schema of an entry of `protected_services` with this type; undefined = only hosts that the stack adds have it. */
  readonly schema?: z.ZodObject;
  /** How the gateway authenticates requests; undefined = it does not. */
  readonly gateway?: GatewayAuthentication<Service>;
  /** Whether the gateway authenticates requests to an exposure of the service. Default: always, if it can. */
  gatewayAuthenticates?(service: Service, role: "service" | "test"): boolean;
  /** Whether users sign in at the identity provider. */
  readonly usesIdentityProvider: boolean;
  /** Everyone who is admitted, if groups do not decide: a name in the access facts, and its text. */
  readonly audience?: { readonly name: string; readonly text: string };
  /** Rank in comparisons of two protections; open is 0. */
  strength(authentication: string): number;
  /** Which of the two authenticates users, for a protection that allows both. */
  enforcedBy?(authentication: string): "application" | "gateway";
  /** The one username and password of a service. */
  credentials?(service: Service): { readonly username: string; readonly password: SecretText };
  /** The service as a client of the identity provider. @param urls its origins, at least one */
  client?(service: Service, urls: readonly [string, ...string[]]): OAuthClient;
  /** What `verify` expects. */
  expectation(exposure: Exposure): Expectation;
}

/** An authentication by the gateway. */
export interface GatewayAuthentication<Service extends EntrySettings = EntrySettings> {
  /** Name in the plan. */
  readonly name: string;
  /** Identity headers that the application receives. */
  readonly headers: readonly string[];
  /** Whether background requests get another response than requests for a page. */
  readonly hasBackgroundRule: boolean;
  /** The middlewares that authenticate a request to an exposure of a service. @param refusal response to a request without a session */
  middlewares(exposure: Exposure, service: Service, refusal: ForwardAuth["refusal"]): MiddlewareSpec[];
}
