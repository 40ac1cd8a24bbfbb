/** The policy pack as the Pulumi CLI runs it: `pulumi preview --policy-pack policy`. */
import { PolicyPack, type Policies, type ReportViolation } from "@pulumi/policy";
import * as pulumi from "@pulumi/pulumi";
import { engineValue } from "../config/engineValue.ts";
import { parseStack } from "../config/load.ts";
import { plainFields } from "./plain.ts";
import type { Resource } from "../manifests/resource.ts";
import { type Rule, type StackFacts, stackFacts, type Violation } from "./rule.ts";
import { RULES } from "./rules/rules.ts";

/** Returns the facts of the stack, from its configuration as the engine passes it to policies: with its secrets, which are not marked. */
function readStack(): StackFacts {
  const config = pulumi.runtime.allConfig();
  const raw = Object.entries(config).map(([key, text]) => [key, { value: engineValue(key, text) }] as const);
  const stack = { stack: pulumi.getStack(), config: Object.fromEntries(raw) };
  const settings = parseStack(stack, process.env, { secretsRequired: false });
  return stackFacts(settings, (name) => config[`variables:${name}`] ?? process.env[name]);
}

let facts: StackFacts | undefined;

function report(rule: Rule, resources: readonly Resource[], violate: (violation: Violation) => void): void {
  facts ??= readStack();
  for (const violation of rule.check(resources, facts)) violate(violation);
}

function messageOf({ subject, message, hint }: Violation): string {
  return `${subject}: ${message}; ${hint}`;
}

function policyOf(rule: Rule): Policies[number] {
  const { name, description } = rule;
  const common = { name, description, enforcementLevel: "mandatory" } as const;
  if (rule.scope === "resource") {
    return {
      ...common,
      validateResource: ({ type, name: resource, props }, violate: ReportViolation) =>
        report(rule, [{ type, name: resource, props: plainFields(props) }], (violation) =>
          violate(messageOf(violation)),
        ),
    };
  }
  return {
    ...common,
    validateStack: ({ resources }, violate) => {
      const all = resources.map(({ type, name: resource, props }) => ({
        type,
        name: resource,
        props: plainFields(props),
      }));
      report(rule, all, (violation) => violate(messageOf(violation)));
    },
  };
}

new PolicyPack("gatehouse", { policies: RULES.map(policyOf) });
