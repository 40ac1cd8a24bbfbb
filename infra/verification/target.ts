/** The parts of the plan that the verification from outside reads, as plain data for a file. */
import type { Backend } from "../../config/settings.ts";
import type { Expectation } from "../../protections/expectation.ts";
import type { Exposure, RecordSet } from "../plan/types.ts";

/** An exposure, and the expectations of its protection. */
export interface ExpectedExposure extends Exposure {
  readonly expectation: Expectation;
}

export interface OutsideTarget {
  readonly stack: string;
  readonly identityProviderUrl: string | undefined;
  /** Slug of what signs `X-idp-jwt`. */
  readonly identitySlug: string;
  readonly exposures: readonly ExpectedExposure[];
  readonly records: readonly RecordSet[];
  /** Schemas that the data API serves, the default one first, and those that it hides. */
  readonly schemas: { readonly exposed: readonly string[]; readonly hidden: readonly string[] };
  /** Limit of the rows in a response of the data API; undefined = there is none. */
  readonly maxRows: number | undefined;
  /** Path where the catalog begins; undefined = there is none. */
  readonly catalogPath: string | undefined;
  /** Disabled domains, and the hosts that services, the identity provider, the data API and the catalog would have on them. */
  readonly disabled: readonly { readonly domain: string; readonly baseDomain: string; readonly hosts: string[] }[];
  /** The Service of the echo application: exposures of it show which headers arrive. */
  readonly echo: Backend;
}

/** Returns whether the backend of an exposure is the echo service. */
export function isEcho({ echo }: Pick<OutsideTarget, "echo">, { backend }: Pick<Exposure, "backend">): boolean {
  return backend.name === echo.name && backend.namespace === echo.namespace;
}

/** The input of the verification job in the cluster. */
export interface JobTarget extends OutsideTarget {
  /** Groups of the account that it signs in with. */
  readonly groups: readonly string[];
}
