import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LocalWorkspace, type PulumiCommand, type PulumiFn, type Stack } from "@pulumi/pulumi/automation/index.js";
import { parseDocument } from "yaml";
import { packageFolder } from "../../config/folders.ts";
import { backendFolder } from "./state/backend.ts";
import { PROJECT, restoreState } from "./state/state.ts";

export interface StackOptions {
  /** Name of the stack. With `overrides`, `Pulumi.<name>.yaml` of the project configures it; otherwise it has no configuration. */
  readonly stack: string;
  readonly program: PulumiFn;
  readonly command: PulumiCommand;
  /** Folder of the engine's copy of the stack file. The project's file is never written. */
  readonly workspace: string;
  /** Config that this deployment sets on top of the stack file, e.g. `variables:HTTP_PORT`. */
  readonly overrides?: Readonly<Record<string, unknown>>;
  /** Environment of the engine and of its plugins: backend, passphrase, PATH, kubeconfig. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Opens a stack with the real engine and an inline program, from a copy of its stack file, because the engine writes to it (its
 * encryption salt).
 */
export async function openStack(options: StackOptions): Promise<Stack> {
  await mkdir(options.workspace, { recursive: true, mode: 0o700 });
  if (options.overrides) {
    await writeProjectFile(options.workspace);
    await writeStackFile(options.stack, options.workspace, options.overrides);
  }
  await restoreState(backendFolder(options.workspace, options.environment), options.stack);
  const stack = await LocalWorkspace.createOrSelectStack(
    { stackName: options.stack, projectName: PROJECT, program: options.program },
    {
      workDir: options.workspace,
      pulumiCommand: options.command,
      envVars: { ...options.environment },
      secretsProvider: "passphrase",
    },
  );
  // The Automation API starts the CLI three times after an update, once after a refresh, to read outputs and summary, which no caller uses.
  stack.outputs = () => Promise.resolve({});
  stack.info = () => Promise.resolve(undefined);
  return stack;
}

/** Copies Pulumi.yaml, whose analyzer of the policy pack is in a folder of the project. */
async function writeProjectFile(workspace: string): Promise<void> {
  const document = parseDocument(await readFile(join(packageFolder(), "Pulumi.yaml"), "utf8"));
  const analyzer = ["plugins", "analyzers", 0, "path"];
  document.setIn(analyzer, join(packageFolder(), document.getIn(analyzer) as string));
  await writeFile(join(workspace, "Pulumi.yaml"), document.toString());
}

async function writeStackFile(
  stack: string,
  workspace: string,
  overrides: Readonly<Record<string, unknown>>,
): Promise<void> {
  const name = `Pulumi.${stack}.yaml`;
  const target = join(workspace, name);
  const document = parseDocument(await readFile(join(packageFolder(), name), "utf8"));
  const salt: unknown = parseDocument(await readFile(target, "utf8").catch(() => "")).get("encryptionsalt");
  if (salt !== undefined) {
    document.set("encryptionsalt", salt);
  }
  for (const [key, value] of Object.entries(overrides)) {
    document.setIn(["config", key], value);
  }
  await writeFile(target, document.toString());
}
