import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { LocalWorkspace, type PulumiCommand, type PulumiFn, type Stack } from "@pulumi/pulumi/automation/index.js";
import { runtime } from "@pulumi/pulumi";
import { parseDocument } from "yaml";
import { packageFolder } from "../../config/files/folders.ts";
import { PROJECT_NAME } from "../../config/files/projectFile.ts";
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
  /**
   * Config on top of `Pulumi.<stack>.yaml` of the project, e.g. `variables:HTTP_PORT`: the stack is opened with a copy in the workspace, so that the
   * project's file is not written. Default: the workspace is the project.
   */
  readonly overrides?: Readonly<Record<string, unknown>>;
  /** Default: true. */
  readonly creates?: boolean;
}

/**
 * Opens a stack with an inline program. Creates it if it does not exist, with the passphrase of the environment.
 * @throws StackNotFoundError if it does not exist, and `creates` is false
 */
export async function openStack(options: StackOptions): Promise<Stack> {
  const { stack: stackName, workspace: workDir, command, environment, program, overrides, creates = true } = options;
  if (creates) await mkdir(workDir, { recursive: true, mode: 0o700 });
  if (overrides) {
    await writeProjectFile(workDir);
    await writeStackFile(stackName, workDir, overrides);
  }
  await restoreState(backendFolder(workDir, environment), stackName);
  const args = { stackName, projectName: PROJECT_NAME, program };
  const workspace = { workDir, pulumiCommand: command, envVars: { ...environment } };
  const stack = creates
    ? await LocalWorkspace.createOrSelectStack(args, { ...workspace, secretsProvider: "passphrase" })
    : await LocalWorkspace.selectStack(args, workspace);
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
