/** Stacks for tests of the engine: with a script in place of the Pulumi CLI, and with the real one. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PulumiFn, Stack } from "@pulumi/pulumi/automation/index.js";
import { pulumiCommand } from "../../../ops/engine/open.ts";
import { openStack } from "../../../ops/engine/stack.ts";
import type { Deployment } from "../../../ops/engine/state/state.ts";
import { SILENT } from "../../../ops/terminal/progress.ts";
import { ensureTools } from "../../../ops/toolchain/toolchain.ts";
import { writeExecutable } from "../../helpers/executable.ts";

/** Returns a stack in a folder whose Pulumi CLI is a script of `sh`. */
export function scriptedStack(workDir: string, script: string, name = "dev"): Stack {
  const command = join(workDir, "pulumi");
  writeExecutable(command, `#!/bin/sh\n${script}\n`);
  return { name, workspace: { workDir, envVars: {}, pulumiCommand: { command } } } as unknown as Stack;
}

/** A stack whose state is a file, which the CLI exports and replaces. */
export class StateFile {
  readonly stack: Stack;
  readonly #file: string;

  constructor(workDir: string) {
    this.#file = join(workDir, "state.json");
    this.stack = scriptedStack(workDir, "case $2 in export) cat state.json;; import) cat > state.json;; esac");
  }

  write(deployment: Deployment): void {
    writeFileSync(this.#file, JSON.stringify({ version: 3, deployment }));
  }

  read(): Deployment {
    return (JSON.parse(readFileSync(this.#file, "utf8")) as { deployment: Deployment }).deployment;
  }
}

/** Opens a stack `dev` of the real engine, with its state in a folder. */
export async function openFolderStack(folder: string, program: PulumiFn): Promise<Stack> {
  const [workspace, state] = ["workspace", "state"].map((name) => join(folder, name)) as [string, string];
  mkdirSync(state);
  const { pulumi } = await ensureTools(["pulumi"], SILENT, { local: true });
  const command = await pulumiCommand(folder, pulumi);
  const environment = {
    PULUMI_HOME: folder,
    PULUMI_BACKEND_URL: `file://${state}`,
    PULUMI_CONFIG_PASSPHRASE: "x",
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
  return openStack({ stack: "dev", program, command, workspace, environment });
}
