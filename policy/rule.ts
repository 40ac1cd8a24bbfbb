import type { Settings } from "../config/settings.ts";
import { computePlan } from "../infra/plan/plan.ts";
import type { Plan } from "../infra/plan/types.ts";
import { digestsRequired } from "../config/sections/images/images.ts";
import type { Resource } from "../manifests/resource.ts";
import { secretValues } from "./secretValues.ts";

/** What is wrong with a resource, and how to fix it. */
export interface Problem {
  readonly message: string;
  readonly hint: string;
}

export interface Violation extends Problem {
  /** Name of the rule. */
  readonly rule: string;
  /** As messages name it: `IngressRoute default/whoami`. */
  readonly subject: string;
}

/** A rule for the resources of a stack. Pure: its violations depend on its arguments only. */
export interface Rule {
  /** Also names its level in a file for `--policy-pack-config`. */
  readonly name: string;
  readonly description: string;
  /** Whether the rule checks each resource before it is deployed, or all of them together at the end. */
  readonly scope: "resource" | "stack";
  check(resources: readonly Resource[], stack: StackFacts): Violation[];
}

/** What the rules use of the stack in addition to its resources. */
export interface StackFacts {
  readonly plan: Plan;
  /** Namespace of Traefik. */
  readonly gatewayNamespace: string;
  /** Whether images must state their digests. */
  readonly digestsRequired: boolean;
  /** Values that must not be in plain text anywhere, by the name of their template variable. */
  readonly secrets: ReadonlyMap<string, string>;
}

/**
 * Returns the facts of a stack, from its configuration.
 * @param valueOf looks a template variable up; undefined when it is not known
 */
export function stackFacts(settings: Settings, valueOf: (variable: string) => string | undefined): StackFacts {
  return {
    plan: computePlan(settings),
    gatewayNamespace: settings.gateway.namespace,
    digestsRequired: digestsRequired(settings),
    secrets: secretValues(settings, valueOf),
  };
}
