import type { Backend } from "../../config/sections/protectedServices/backend.ts";
import type { Tls } from "../../config/sections/domains/domains.ts";

/** One service on one domain. */
export interface Exposure {
  /** `<service>@<domain kind>`, unique, stable when other domains come and go. */
  readonly id: string;
  /** Host label: the entry's name, or that of the built-in (`whoami-public`, `whoami-<app>`, the identity provider's host, the data API's, the catalog's). */
  readonly service: string;
  /** The entry of `protected_services` whose authentication it has; undefined for built-ins without. */
  readonly entry: string | undefined;
  /** Purpose of the exposure. Only `service` ones are entries of `protected_services`. */
  readonly role: "service" | "test" | "identity-provider" | "data-api" | "catalog";
  readonly domain: string;
  readonly host: string;
  /** Origin, with the port where the domain has one: `http://whoami.localhost:8080`. */
  readonly url: string;
  readonly tls: Tls | undefined;
  /** Name of the protection (protections/table.ts). */
  readonly protection: string;
  /** Name of the authentication by the gateway, e.g. `forward-auth`; `none` if it authenticates no request. */
  readonly authentication: string;
  /** Allowed groups; empty = everyone who can sign in. */
  readonly groups: readonly string[];
  readonly publicPaths: readonly string[];
  readonly session: string | undefined;
  readonly backend: Backend;
  /** The application in the identity provider to which forward auth requires access; undefined without forward auth. */
  readonly application: ApplicationRecord | undefined;
  /** Name of the outpost that answers forward auth; undefined without forward auth. */
  readonly outpost: string | undefined;
}

/** Returns the URL of a page of an exposure: authentik answers `/` with a redirect. */
export function pageUrl({ role, url }: Pick<Exposure, "role" | "url">): string {
  return role === "identity-provider" ? `${url}/if/admin/` : `${url}/`;
}

/** Returns the exposure of the identity provider whose login page the services use, if the stack has it. */
export function signInExposure<T extends Pick<Exposure, "role" | "url">>(
  exposures: readonly T[],
  identityProviderUrl: string | undefined,
): T | undefined {
  return exposures.find(({ role, url }) => role === "identity-provider" && url === identityProviderUrl);
}

export interface ApplicationRecord {
  /** `application_slug` as written. */
  readonly name: string;
  /** Forward auth: `<application_slug>-<domain kind>`; OpenID Connect: exactly `application_slug`, shared by the service's exposures. */
  readonly slug: string;
}

/** An exposure that forward auth protects. */
export type ForwardedExposure = Exposure & { readonly application: ApplicationRecord };

export function isForwarded(exposure: Exposure): exposure is ForwardedExposure {
  return exposure.application !== undefined;
}

/** Returns whether the gateway terminates TLS of an exposure. */
export function terminatesTls({ tls }: Pick<Exposure, "tls">): boolean {
  return tls !== undefined && tls.termination !== "upstream";
}
