import { isIP } from "node:net";
import { AUTHENTIK_PORT } from "../../infra/plan/ownServices.ts";
import { middlewareSpec, traefikServiceSpec } from "../../infra/gateway/specs.ts";
import { authPath } from "../../protections/forwardAuth.ts";
import type { ForwardAuth, Middleware, Plan, TraefikService } from "../../infra/plan/types.ts";
import { differences } from "../../manifests/differences.ts";
import { at, type Manifest, manifestsOf, objectLabel, textAt, UNKNOWN } from "../../manifests/resource.ts";
import type { Rule, Violation } from "../rule.ts";
import { replacedService } from "../replacedServices.ts";
import { traefikName } from "../../infra/plan/traefikName.ts";

/** The name of a middleware in a chain does not show whether its content is that of the plan. */
export const middlewareContent: Rule = {
  name: "middlewares-as-planned",
  description:
    "Every middleware has the content of the plan: the headers that it removes, and its authentication. Every TraefikService has its limits.",
  scope: "resource",
  check: (resources, { plan }) =>
    manifestsOf(resources).flatMap((manifest) => [
      ...changedMiddleware(manifest, plan),
      ...sameName(manifest, plan),
      ...changedTraefikService(manifest, plan),
      ...replacement(manifest, plan),
    ]),
};

function changedTraefikService(manifest: Manifest, plan: Plan): Violation[] {
  const planned = plannedOf("TraefikService", plan.traefikServices, manifest);
  if (planned === undefined) return [];
  return traefikServiceDifferences(manifest, planned).map((difference) =>
    changed(manifest, "differs from the plan", difference),
  );
}

/** Returns the differences between a TraefikService and the planned one. */
export function traefikServiceDifferences({ spec }: Manifest, planned: TraefikService): string[] {
  return differences(traefikServiceSpec(planned), spec);
}

function changed(manifest: Manifest, what: string, difference: string): Violation {
  return {
    rule: middlewareContent.name,
    subject: manifest.label,
    message: `${what}: ${difference}`,
    hint: "deploy the stack again (npx gatehouse deploy CONTEXT --refresh)",
  };
}

/** Returns the planned object of this kind that a manifest is meant to be. */
function plannedOf<T extends Pick<TraefikService, "namespace" | "name">>(
  kind: string,
  planned: readonly T[],
  manifest: Manifest,
): T | undefined {
  if (manifest.kind !== kind) return undefined;
  return planned.find(({ namespace, name }) => namespace === manifest.namespace && name === manifest.objectName);
}

/** Returns what of a middleware differs from the plan; nothing for one that is not of the plan. */
function changedMiddleware(manifest: Manifest, plan: Plan): Violation[] {
  const planned = plannedOf("Middleware", plan.middlewares, manifest);
  if (planned === undefined) return [];
  return middlewareDifferences(manifest, planned).map((difference) => changed(manifest, effect(planned), difference));
}

/**
 * Returns the differences between a middleware and the planned one.
 * @param authAddress returns the planned address of forward auth; without it, port and path are compared with the plan
 */
export function middlewareDifferences(
  manifest: Manifest,
  planned: Middleware,
  authAddress?: (middleware: ForwardAuth) => string | undefined,
): string[] {
  const expected = middlewareSpec<unknown>(planned, {
    authAddress: (auth) => authAddress?.(auth) ?? withPath(manifest, auth),
    users: ({ name }) => name,
  });
  return differences(expected, manifest.spec);
}

/**
 * Returns the planned middleware whose name in Traefik an unplanned one has, too: Traefik keeps the definition that it reads last (v3.7,
 * pkg/provider/kubernetes/crd, `loadConfigurationFromCRD`).
 */
export function replacedMiddleware(manifest: Manifest, { middlewares }: Plan): Middleware | undefined {
  const { kind, namespace, objectName } = manifest;
  if (kind !== "Middleware" || objectName === undefined || plannedOf(kind, middlewares, manifest)) return undefined;
  const name = traefikName(namespace, objectName);
  return middlewares.find((planned) => traefikName(planned.namespace, planned.name) === name);
}

function sameName(manifest: Manifest, plan: Plan): Violation[] {
  const replaced = replacedMiddleware(manifest, plan);
  if (replaced === undefined) return [];
  const message = `replaces ${objectLabel("Middleware", replaced)}, which has the same name in Traefik`;
  return [{ rule: middlewareContent.name, subject: manifest.label, message, hint: "rename it" }];
}

function replacement(manifest: Manifest, plan: Plan): Violation[] {
  const replaced = replacedService(manifest, plan);
  if (replaced === undefined) return [];
  const hint = "remove it; the TraefikServices of the stack are those of the plan";
  return [{ rule: middlewareContent.name, subject: manifest.label, message: `replaces ${replaced}`, hint }];
}

function effect({ kind }: Middleware): string {
  if (kind === "strip") return "no longer removes every forged header";
  return kind === "forward-auth" ? "does not authenticate as planned" : "differs from the plan";
}

/** Returns the address if it is that of an outpost at a cluster IP, with the planned path; else the form of such an address. */
function withPath(manifest: Manifest, { refusal }: ForwardAuth): unknown {
  if (at(manifest.spec, "forwardAuth", "address") === UNKNOWN) return UNKNOWN;
  const address = textAt(manifest.spec, "forwardAuth", "address") ?? "";
  const path = authPath(refusal);
  const { protocol, hostname = "", port, pathname, search } = URL.parse(address) ?? {};
  const isOutpost =
    protocol === "http:" && isIP(hostname.replace(/^\[|\]$/g, "")) !== 0 && port === String(AUTHENTIK_PORT);
  return isOutpost && `${pathname}${search}` === path ? address : `http://<cluster IP>:${AUTHENTIK_PORT}${path}`;
}
