import { SUPPORTED } from "../launcher/nodeVersion.js";
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { Environment } from "../../config/variables/variables.ts";
import { packageFolder } from "../../config/files/folders.ts";
import { UserError } from "../../config/errors/userError.ts";

/** Options of a preview or an up in the Automation API; with a pack, the engine runs it or stops. */
export interface PolicyOptions {
  readonly policyPacks?: string[];
}

export const NO_POLICY: PolicyOptions = {};

/** Pulumi.yaml names its folder, so the engine finds it without PATH and without the language host of the official CLI. */
const ANALYZER = path.join("bin", "pulumi-analyzer-policy-nodejs");
/** A pack that starts prints its port within a second or two. */
const TIMEOUT_MS = 60_000;

/** Returns the options that run the pack of this project, as `--policy-pack policy` of the CLI does. */
export function runPolicy(): PolicyOptions {
  return { policyPacks: [packFolder(packageFolder())] };
}

/**
 * Starts the policy pack and stops it, to report errors of the start before a preview.
 * @param environment of the engine, which starts the pack with the `node` on its PATH
 * @param project folder that contains `policy/`. Default: this project
 * @throws UserError when the pack does not start
 */
export async function checkPolicyPack(environment: Environment, project = packageFolder()): Promise<void> {
  const cwd = packFolder(project);
  // The engine's own arguments: its address, which the pack does not use before the first resource, and the folder of the pack.
  const args = ["127.0.0.1:1", "."];
  const child = spawn(path.join(cwd, ANALYZER), args, { cwd, env: { ...environment }, timeout: TIMEOUT_MS });
  let printed = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (printed += text));
  const started = once(child.stdout, "data").then(() => undefined);
  const ended = (once(child, "close") as Promise<[number | null]>).then(
    ([code]) =>
      startError(printed) ?? (code === null ? `no answer within ${TIMEOUT_MS / 1000} s` : `exit code ${code}`),
    (error: Error) => error.message,
  );
  const reason = await Promise.race([started, ended]);
  child.kill();
  if (reason === undefined) return;
  throw new UserError(
    `the policy pack does not start: ${reason}`,
    `restore policy/, put a supported Node.js first on PATH (${SUPPORTED}), and run npm ci. See docs/policy.md, Where it cannot run`,
  );
}

function packFolder(project: string): string {
  return path.join(project, "policy");
}

/** Returns the line of a stack trace with the error, else the last line; undefined without output. */
function startError(printed: string): string | undefined {
  const lines = printed.split("\n").map((line) => line.trim());
  const error = lines.find((line) => /^\w*Error\b.*: /.test(line));
  return error ?? lines.findLast((line) => line !== "");
}
