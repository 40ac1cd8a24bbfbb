import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type InlineProgramArgs,
  LocalWorkspace,
  type LocalWorkspaceOptions,
  type PulumiCommand,
  type PulumiFn,
  type Stack,
} from "@pulumi/pulumi/automation/index.js";
import { runtime } from "@pulumi/pulumi";
import { parseDocument } from "yaml";
import { packageFolder } from "../../config/folders.ts";
import { PROJECT_NAME } from "../../config/projectFile.ts";
import { replaceFile } from "../toolchain/replaceFile.ts";
import { backendFolder } from "./state/backend.ts";
import { restoreState } from "./state/state.ts";

/**
 * Options of the SDK's clients of the engine. gRPC shares connections of a process by address, and the SDK closes none of an inline program: if a
 * program called an engine after its end, a later engine on the same port would be unavailable (Go listens on 7,000 of the ports).
 */
export const { grpcClientOptions } = runtime as unknown as { readonly grpcClientOptions: ClientOptions };
grpcClientOptions["grpc.use_local_subchannel_pool"] = 1;

type ClientOptions = Record<string, unknown>;

export interface StackOptions {
  readonly stack: string;
  readonly program: PulumiFn;
  readonly command: PulumiCommand;
  /** Folder with the stack file, which the engine writes to when it creates a stack. */
  readonly workspace: string;
  /** Environment of the engine and of its plugins: backend, passphrase, PATH, kubeconfig. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Opens a stack of the user's backend, with an inline program. It is not created: in a wrong backend, the engine would replace the key of the
 * secrets in the stack file.
 * @throws StackNotFoundError
 */
export function selectStack(options: StackOptions): Promise<Stack> {
  return open(options, (args, workspace) => LocalWorkspace.selectStack(args, workspace));
}

/**
 * Opens a stack with the passphrase of the environment, with an inline program. Creates it if it does not exist.
 * @param overrides config on top of `Pulumi.<stack>.yaml` of the project, e.g. `variables:HTTP_PORT`: the stack is opened with a copy in the
 *   workspace, so that the project's file is not written. Default: a stack without configuration
 */
export async function openStack(
  options: StackOptions & { readonly overrides?: Readonly<Record<string, unknown>> },
): Promise<Stack> {
  await mkdir(options.workspace, { recursive: true, mode: 0o700 });
  if (options.overrides) {
    await writeProjectFile(options.workspace);
    await writeStackFile(options.stack, options.workspace, options.overrides);
  }
  return open(options, (args, workspace) =>
    LocalWorkspace.createOrSelectStack(args, { ...workspace, secretsProvider: "passphrase" }),
  );
}

async function open(
  options: StackOptions,
  withEngine: (args: InlineProgramArgs, workspace: LocalWorkspaceOptions) => Promise<Stack>,
): Promise<Stack> {
  await restoreState(backendFolder(options.workspace, options.environment), options.stack);
  const stack = await withEngine(
    { stackName: options.stack, projectName: PROJECT_NAME, program: options.program },
    { workDir: options.workspace, pulumiCommand: options.command, envVars: { ...options.environment } },
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
  replaceFile(join(workspace, "Pulumi.yaml"), document.toString());
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
  replaceFile(target, document.toString());
}
