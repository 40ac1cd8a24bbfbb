import type { Settings } from "../../config/settings.ts";
import { protectionOf } from "../../protections/table.ts";
import type { Plan } from "../plan/types.ts";
import type { OutsideTarget } from "./target.ts";

/** Returns what `verify` needs of a plan. Contains no secret. */
export function outsideTarget(settings: Settings, plan: Plan): OutsideTarget {
  const schemas = plan.data?.schemas ?? [];
  const labels = new Set(plan.exposures.filter(({ role }) => role !== "test").map(({ service }) => service));
  const planned = new Set(plan.exposures.map(({ host }) => host));
  return {
    stack: plan.stack,
    identityProviderUrl: plan.identityProviderUrl,
    identitySlug: plan.identitySlug,
    exposures: plan.exposures.map((exposure) => ({
      ...exposure,
      expectation: protectionOf(exposure.protection).expectation(exposure),
    })),
    records: plan.records,
    schemas: {
      exposed: schemas.filter(({ access }) => access === "exposed").map(({ name }) => name),
      hidden: schemas.filter(({ access }) => access !== "exposed").map(({ name }) => name),
    },
    maxRows: settings.dataApi?.limits.maxRows,
    catalogPath: settings.dataApi?.catalog?.basePath,
    disabled: settings.domains
      .filter(({ enabled }) => !enabled)
      .map(({ kind, baseDomain }) => ({
        domain: kind,
        baseDomain,
        // An enabled domain can have the same base domain.
        hosts: [...labels].map((label) => `${label}.${baseDomain}`).filter((host) => !planned.has(host)),
      })),
    echo: settings.testEnvironments.backend,
  };
}
