import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Stack } from "@pulumi/pulumi/automation/index.js";

/** The part of a stack's state that is read here. */
interface PendingOperation {
  readonly type: string;
  readonly resource: { readonly urn: string; readonly type: string; readonly inputs?: Readonly<Record<string, unknown>> };
}

/**
 * Takes over what a killed run may have created without noting it: the engine wrote "creating" and never came to write "created".
 * What exists is adopted into the state, what does not is forgotten; a plain next run would fail on names that are taken.
 * @returns the URNs that were looked into
 */
export async function recoverInterrupted(stack: Stack): Promise<string[]> {
  const state = (await stack.exportStack()) as { deployment?: { pending_operations?: PendingOperation[] } };
  const pending = (state.deployment?.pending_operations ?? []).filter(({ type }) => type === "creating");
  if (pending.length === 0) {
    return [];
  }
  const imports = pending.flatMap(({ resource }) => {
    const id = idOf(resource.type, resource.inputs ?? {});
    return id === undefined ? [] : ["--import-pending-creates", resource.urn, "--import-pending-creates", id];
  });
  const { workspace } = stack;
  const command = ["refresh", "--yes", "--skip-preview", "--non-interactive", "--stack", stack.name];
  await promisify(execFile)(workspace.pulumiCommand.command, [...command, ...imports, "--clear-pending-creates"], {
    cwd: workspace.workDir,
    env: { ...process.env, ...workspace.envVars },
  });
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
