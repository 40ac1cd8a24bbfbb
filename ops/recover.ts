import type { Stack } from "@pulumi/pulumi/automation/index.js";

/** The parts of a stack's state that are read and changed here. */
interface Resource {
  readonly urn: string;
  readonly type: string;
  readonly id?: string;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
}
interface State {
  resources?: Resource[];
  pending_operations?: { readonly type: string; readonly resource: Resource }[];
}

/**
 * Takes over what a killed run may have created without noting it: the engine wrote "creating" and never came to write "created".
 * Each goes into the state under the id it would have, and a refresh of just these drops what does not exist after all; a plain next run
 * would fail on names that are taken.
 * @returns the URNs that were taken over or forgotten
 */
export async function recoverInterrupted(stack: Stack): Promise<string[]> {
  const exported = await stack.exportStack();
  const state = exported.deployment as State | undefined;
  const pending = (state?.pending_operations ?? []).filter(({ type }) => type === "creating");
  if (state === undefined || pending.length === 0) {
    return [];
  }
  const adopted = pending.flatMap(({ resource }) => {
    const id = idOf(resource.type, resource.inputs ?? {});
    return id === undefined ? [] : [{ ...resource, id, outputs: resource.inputs ?? {} }];
  });
  state.resources = [...(state.resources ?? []), ...adopted];
  delete state.pending_operations;
  await stack.importStack(exported);
  if (adopted.length > 0) {
    await stack.refresh({ target: adopted.map(({ urn }) => urn) });
  }
  return pending.map(({ resource }) => resource.urn);
}

/**
 * The id that a resource would have, from its inputs alone.
 * @returns undefined where creating it again is harmless, or where the id is the server's own
 */
function idOf(type: string, inputs: Readonly<Record<string, unknown>>): string | undefined {
  if (type.startsWith("kubernetes:")) {
    const { name, namespace } = (inputs["metadata"] ?? {}) as { name?: string; namespace?: string };
    return namespace === undefined ? name : `${namespace}/${name}`;
  }
  const text = (key: string): string => String(inputs[key]);
  switch (type) {
    case "postgresql:index/role:Role":
    case "postgresql:index/database:Database":
      return text("name");
    case "postgresql:index/schema:Schema":
      return `${text("database")}.${text("name")}`;
    case "authentik:index/application:Application":
      return text("slug");
    default:
      return undefined;
  }
}
