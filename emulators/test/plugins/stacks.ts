import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { type EngineEvent, PulumiCommand, Stack } from "@pulumi/pulumi/automation/index.js";

import { PROJECT_NAME } from "../../../config/files/projectFile.ts";
import { openStack } from "../../../ops/engine/stack.ts";
import { createProgress } from "../../../ops/terminal/progress.ts";
import { ensureTools } from "../../../ops/toolchain/toolchain.ts";

/** A folder with the engine, one emulated plugin and the states of some stacks. */
export interface Workshop {
  readonly folder: string;
  /** The executable of the plugin. */
  readonly plugin: string;
  /** Creates a stack whose program can be replaced. `prepare` creates the argument of each program, such as a provider. */
  open<Tool>(
    stackName: string,
    prepare: () => Tool,
  ): Promise<{ stack: Stack; use: (program: (tool: Tool) => void) => void }>;
  /** Returns the text of the state of a stack in the backend. */
  state(stackName: string): Promise<string>;
  close(): Promise<void>;
}

/** Takes the name of a folder of `emulators/plugins`. */
export async function openWorkshop(name: string): Promise<Workshop> {
  const folder = await mkdtemp(join(tmpdir(), `gatehouse-${name}-`));
  const { pulumi: cli } = await ensureTools(["pulumi"], createProgress(), { local: true });
  const plugin = join(folder, "bin", `pulumi-resource-${name}`);
  const main = resolve(`emulators/plugins/${name}/main.ts`);
  await mkdir(join(folder, "bin"));
  await mkdir(join(folder, "state"));
  await symlink(cli, join(folder, "bin", "pulumi"));
  await writeFile(plugin, `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`, { mode: 0o755 });
  const command = await PulumiCommand.get({ root: folder, skipVersionCheck: true });
  const environment = {
    PATH: `${join(folder, "bin")}:${process.env.PATH}`,
    PULUMI_HOME: join(folder, "home"),
    PULUMI_BACKEND_URL: `file://${join(folder, "state")}`,
    PULUMI_CONFIG_PASSPHRASE: "live",
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
  return {
    folder,
    plugin,
    async open(stackName, prepare) {
      let current: (tool: ReturnType<typeof prepare>) => void = () => undefined;
      const program = (): Promise<void> => Promise.resolve(current(prepare()));
      // Without its own folder, the Automation API creates one in that for temporary files, and leaves it there.
      const workspace = join(folder, "workspaces", stackName);
      const stack = await openStack({ stack: stackName, program, command, workspace, environment });
      // openStack leaves out the summary of a run, which the tests compare.
      stack.info = () => Stack.prototype.info.call(stack, false);
      return { stack, use: (next) => (current = next) };
    },
    state: (stackName) =>
      readFile(join(folder, "state", ".pulumi", "stacks", PROJECT_NAME, `${stackName}.json`), "utf8"),
    close: () => rm(folder, { recursive: true }),
  };
}

/** Returns the steps and the changed paths of each resource in a preview, without the stack and the provider. */
export async function preview(stack: Stack): Promise<Record<string, { steps: string; diff: Record<string, string> }>> {
  const changed: Record<string, { steps: string; diff: Record<string, string> }> = {};
  const onEvent = ({ resourcePreEvent }: EngineEvent): void => {
    const step = resourcePreEvent?.metadata;
    if (!step || step.type.startsWith("pulumi:")) return;
    const name = step.urn.split("::").at(-1) ?? "";
    const steps = changed[name] ? `${changed[name].steps}, ${step.op}` : step.op;
    const changes = Object.entries((step.detailedDiff ?? {}) as Record<string, { diffKind: string }>);
    const diff = {
      ...changed[name]?.diff,
      ...Object.fromEntries(changes.map(([path, { diffKind }]) => [path, diffKind])),
    };
    changed[name] = { steps, diff };
  };
  await stack.preview({ onEvent });
  return changed;
}
