/** The policy pack as the Pulumi CLI runs it: `pulumi preview --policy-pack policy`. */
import { PolicyPack, type Policies, type ReportViolation } from "@pulumi/policy";
import * as pulumi from "@pulumi/pulumi";
import { engineValue } from "../config/engineValue.ts";
import { parseStack } from "../config/load.ts";
import { plainFields } from "./plain.ts";
import type { Finding, Resource } from "../manifests/resource.ts";
import { type Rule, type StackFacts, stackFacts } from "./rule.ts";
import { RULES } from "./rules/rules.ts";

/** The stack's configuration as the engine passes it to policies: with its secrets, which are not marked. */
function readStack(): StackFacts {
  const config = pulumi.runtime.allConfig();
  const raw = Object.entries(config).map(([key, text]) => [key, { value: engineValue(key, text) }] as const);
  const stack = { stack: pulumi.getStack(), config: Object.fromEntries(raw) };
  const settings = parseStack(stack, process.env, { secretsRequired: false });
  return stackFacts(settings, (name) => config[`variables:${name}`] ?? process.env[name]);
}

let facts: StackFacts | undefined;

function report(rule: Rule, resources: readonly Resource[], violation: (finding: Finding) => void): void {
  facts ??= readStack();
  for (const finding of rule.check(resources, facts)) violation(finding);
}

function messageOf({ object, problem, hint }: Finding): string {
  return `${object}: ${problem}; ${hint}`;
}

function policyOf(rule: Rule): Policies[number] {
  const { name, description } = rule;
  const common = { name, description, enforcementLevel: "mandatory" } as const;
  if (rule.scope === "resource") {
    return {
      ...common,
      validateResource: ({ type, name: resource, props }, violate: ReportViolation) =>
        report(rule, [{ type, name: resource, props: plainFields(props) }], (finding) => violate(messageOf(finding))),
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
      report(rule, all, (finding) => violate(messageOf(finding)));
    },
  };
}

new PolicyPack("gatehouse", { policies: RULES.map(policyOf) });
