import { randomUUID } from "node:crypto";
import { mkdir, readlink, rename, symlink } from "node:fs/promises";
import { join } from "node:path";
import { PulumiCommand, type PulumiFn, type Stack, StackNotFoundError } from "@pulumi/pulumi/automation/index.js";
import { UserError } from "../../config/errors/userError.ts";
import { shortHash } from "../../infra/shortHash.ts";
import { claimDataFolder } from "../toolchain/dataFolder.ts";
import { writeRootCertificates } from "../../infra/postgres/certificateFile.ts";
import { reasonOf } from "./reason.ts";
import { openStack } from "./stack.ts";
import { hasKey } from "./stackKey.ts";
import type { Progress } from "../terminal/progress.ts";
import { ensureTools } from "../toolchain/toolchain.ts";
import { type ShellEnvironment, type StackContext } from "../context/context.ts";
import { readLocalContext } from "../context/local.ts";

/**
 * Opens a context's stack with the real engine: that of the local platform in its own backend, any other in the backend that the shell is logged in to.
 * @param program runs inline, in this process
 * @param creates whether a stack that the backend does not have is created. One whose file has a key is not: in a wrong backend, the engine would
 *   replace the key, and with it lose every encrypted value
 * @throws Error when the pinned CLI is not available
 * @throws UserError when the backend cannot be reached, or does not have the stack
 */
export async function openEngine(
  { stack, raw, environment, settings, local }: StackContext,
  { project, data }: ShellEnvironment,
  program: PulumiFn,
  progress: Progress,
  creates = false,
): Promise<Stack> {
  const pulumi = await pulumiOf({ local }, progress);
  const command = await pulumiCommand(data, pulumi);
  // The program writes it too, but a refresh runs before the program.
  if (settings.postgres?.sslrootcert !== undefined) writeRootCertificates(settings.postgres.sslrootcert, project);
  const defined = Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const workspace = local ? join(data, "workspace") : project;
  const options = { stack, program, command, workspace, environment: Object.fromEntries(defined) };
  try {
    return await openStack(
      local
        ? { ...options, overrides: readLocalContext(data)?.config ?? {} }
        : { ...options, creates: creates && !hasKey(project, raw) },
    );
  } catch (error) {
    throw new UserError(unopenedText(stack, error));
  }
}

function unopenedText(stack: string, error: unknown): string {
  const reason =
    error instanceof StackNotFoundError
      ? `the backend does not have it. Log in to its backend, or create it: pulumi stack init ${stack}, with --secrets-provider if the stack file has a secretsprovider.`
      : `${reasonOf(error)}.`;
  return `the stack "${stack}" cannot be opened: ${reason} See docs/deploy.md, Backend.`;
}

/** Returns the path of the CLI for a context. The CLI for a cluster has every state backend and secrets provider. */
export async function pulumiOf({ local }: Pick<StackContext, "local">, progress: Progress): Promise<string> {
  const { pulumi } = await ensureTools(["pulumi"], progress, { local });
  return pulumi;
}

/**
 * Returns the CLI from `bin/` of a folder that only has this CLI, because the Automation API expects it there and puts the folder first on PATH.
 * Each CLI has its own folder: the local platform and a cluster use different ones, at the same time.
 */
export async function pulumiCommand(data: string, pulumi: string): Promise<PulumiCommand> {
  claimDataFolder(data);
  const root = join(data, "pulumi", shortHash(pulumi, 12));
  await mkdir(join(root, "bin"), { recursive: true });
  const link = join(root, "bin", "pulumi");
  if ((await readlink(link).catch(() => undefined)) !== pulumi) {
    // Another call, here or in another process, can create the same link at this moment.
    const own = `${link}.${randomUUID()}`;
    await symlink(pulumi, own);
    await rename(own, link);
  }
  return PulumiCommand.get({ root, skipVersionCheck: true });
}

/** A stack's configuration with its secrets in plain text, as the engine returns it. */
export type DecryptedConfig = Readonly<Record<string, { readonly value?: string; readonly secret?: boolean }>>;

/** Returns the secret values of a configuration by name, without the prefix `variables:`. */
export function secretVariables(config: DecryptedConfig): Record<string, string> {
  const secrets = Object.entries(config).filter(([, { secret }]) => secret);
  return Object.fromEntries(secrets.map(([key, { value }]) => [key.replace(/^variables:/, ""), value ?? ""]));
}
