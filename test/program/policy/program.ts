import { basename, dirname, join } from "node:path";
import { parseStack, type RawStack, readStackFile } from "../../../config/load.ts";
import { type Fields, type Resource } from "../../../manifests/resource.ts";
import { type StackFacts, stackFacts } from "../../../policy/rule.ts";
import { RULES } from "../../../policy/rules/rules.ts";
import { packageFolder } from "../../../config/files/folders.ts";
import { canary, deploy } from "../../helpers/program.ts";

/** What a stack would deploy, and the facts that the rules compare it with. */
export interface Program {
  readonly resources: readonly Resource[];
  readonly facts: StackFacts;
}

/** A change or an addition to the local stack, and the findings of the policy pack. */
export type Bad = readonly [title: string, make: (good: Program) => Program, findings: readonly string[]];

/**
 * The program of a stack file, run under mocks. Its secrets are {@link canary}.
 * @param name of the stack, after the folder of its file where that is not the project's
 */
export async function programOf(name: string, changes: RawStack["config"] = {}): Promise<Program> {
  const stack = basename(name);
  const file = readStackFile(join(packageFolder(), dirname(name), `Pulumi.${stack}.yaml`), stack);
  const raw = { ...file, config: { ...file.config, ...changes } };
  const { resources } = await deploy(raw);
  const facts = stackFacts(parseStack(raw, {}, { secretsRequired: false }), canary);
  return { resources: resources.map(({ type, name, inputs }) => ({ type, name, props: inputs })), facts };
}

/** Everything that the pack finds, as `<rule>: <subject>`. */
export function findingsOf({ resources, facts }: Program): string[] {
  const findings = RULES.flatMap((rule) => rule.check(resources, facts));
  return findings.map(({ rule, subject }) => `${rule}: ${subject}`);
}

/** The program with one object changed. */
export function changed(
  { resources, facts }: Program,
  label: string,
  change: (props: Record<string, unknown>) => void,
): Program {
  const index = resources.findIndex((resource) => labelled(resource) === label);
  const found = resources[index];
  if (found === undefined) throw new Error(`there is no ${label} among ${resources.map(labelled).join(", ")}`);
  const props = structuredClone(found.props) as Record<string, unknown>;
  change(props);
  return { resources: resources.with(index, { ...found, props }), facts };
}

/** Returns the change of one object, whose fields the caller knows. */
export function edit<Props>(label: string, change: (props: Props) => void): Bad[1] {
  return (good) => changed(good, label, (props) => change(props as Props));
}

/** The program with one object more. */
export function added(program: Program, type: string, props: Fields): Program {
  return { ...program, resources: [...program.resources, { type, name: "added", props }] };
}

function labelled({ type, name, props }: Resource): string {
  const { metadata } = props as { metadata?: { namespace?: string; name?: string } };
  if (!type.startsWith("kubernetes:")) return `${type} ${name}`;
  const kind = type.split(":").at(-1) ?? "";
  return metadata ? `${kind} ${metadata.namespace ?? "default"}/${metadata.name ?? name}` : `${kind} ${name}`;
}
