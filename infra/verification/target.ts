/** What is to be seen of a deployment from outside: what the proof needs of the plan, as plain data that fits into a file. */
import type { Backend, Settings } from "../../config/settings.ts";
import type { Exposure, Plan, RecordSet } from "../plan/types.ts";

export interface OutsideTarget {
  readonly stack: string;
  readonly identityProviderUrl: string | undefined;
  /** Slug of what signs `X-idp-jwt`. */
  readonly identitySlug: string;
  readonly exposures: readonly Exposure[];
  readonly records: readonly RecordSet[];
  /** Schemas that the data API serves, the default one first, and those that it hides. */
  readonly schemas: { readonly exposed: readonly string[]; readonly hidden: readonly string[] };
  /** Path where the catalog begins; undefined = there is none. */
  readonly catalogPath: string | undefined;
  /** Domains that are off, and what each service would be there. */
  readonly disabled: readonly { readonly domain: string; readonly baseDomain: string; readonly hosts: string[] }[];
  /** The Service of the echo application: exposures of it show which headers arrive. */
  readonly echo: Backend;
}

/** Pure; holds no secret. */
export function outsideTarget(settings: Settings, plan: Plan): OutsideTarget {
  const schemas = plan.data?.schemas ?? [];
  const labels = new Set(plan.exposures.filter(({ role }) => role === "service").map(({ service }) => service));
  return {
    stack: plan.stack,
    identityProviderUrl: plan.identityProviderUrl,
    identitySlug: plan.identitySlug,
    exposures: plan.exposures,
    records: plan.records,
    schemas: {
      exposed: schemas.filter(({ access }) => access === "exposed").map(({ name }) => name),
      hidden: schemas.filter(({ access }) => access !== "exposed").map(({ name }) => name),
    },
    catalogPath: settings.dataApi?.catalog?.basePath,
    disabled: settings.domains
      .filter(({ enabled }) => !enabled)
      .map(({ kind, baseDomain }) => ({
        domain: kind,
        baseDomain,
        hosts: [...labels].map((label) => `${label}.${baseDomain}`),
      })),
    echo: settings.testEnvironments.backend,
  };
}

/** Whether the echo service answers for an exposure. */
export function isEcho({ echo }: Pick<OutsideTarget, "echo">, { backend }: Pick<Exposure, "backend">): boolean {
  return backend.name === echo.name && backend.namespace === echo.namespace;
}

/** What the job in the cluster is told. */
export interface JobTarget extends OutsideTarget {
  /** Groups of the account that it signs in with. */
  readonly groups: readonly string[];
}
