import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { errorText } from "../../../config/errors/errorText.ts";
import { UserError } from "../../../config/errors/userError.ts";
import { isNewEnough, SUPPORTED } from "../../launcher/nodeVersion.js";
import { checkPolicyPack } from "../../engine/policyPack.ts";
import { installedPlugins, emulatedPlugins } from "../../toolchain/plugins.ts";
import { pinned } from "../../toolchain/tools.ts";
import { type Check, failed, passed, skip } from "../check.ts";
import type { Inputs } from "./inputs.ts";

/** Checks the programs on this machine: Node.js, Pulumi with its plugins and the policy pack, git. */
export async function tools(inputs: Inputs): Promise<Check[]> {
  const [cli, ...others] = await Promise.all([pulumi(inputs), policyPack(inputs), git(inputs)]);
  return [node(), cli, plugins(inputs), ...others];
}

function node(): Check {
  const { node: version } = process.versions;
  const hint = `put a supported one first on PATH (${SUPPORTED}), or start the command with npm run`;
  return isNewEnough(version) ? passed("Node.js", version) : failed("Node.js", `${version} is not supported`, hint);
}

/** Checks the Pulumi CLI: one on PATH may be newer or older than the pinned one. */
export async function pulumi({ cli }: Pick<Inputs, "cli">): Promise<Check> {
  const name = "Pulumi CLI";
  if ("value" in cli) {
    return cli.value.run("version").then(
      (version) => passed(name, version.trim().replace(/^v/, "")),
      (error: unknown) => failed(name, errorText(error), "correct that, or put another pulumi first on PATH"),
    );
  }
  const hint = `the first deployment obtains Pulumi ${pinned("pulumi").version} (docs/toolchain.md)`;
  return skip(name, cli.unavailable, hint);
}

/** Checks the provider plugins. A deployment installs missing ones; those of the local platform have emulators. */
function plugins({ target: { environment, local } }: Inputs): Check {
  const name = "provider plugins";
  const found = installedPlugins(environment);
  const missing = local ? [] : emulatedPlugins(found);
  if (missing.length === 0) {
    const kinds = found.map(({ name, version, kind }) =>
      kind === "real" ? `${name} ${version}` : `${name} (emulator)`,
    );
    return passed(name, kinds.join(", "));
  }
  const names = missing.map((one) => `${one.name} ${one.version}`).join(", ");
  const hint =
    "the first deployment installs them; without a network run: pulumi plugin install resource NAME VERSION --file FILE";
  return skip(name, `${names}: not installed yet`, hint);
}

async function policyPack({ target: { environment } }: Inputs): Promise<Check> {
  const name = "policy pack";
  return checkPolicyPack(environment).then(
    () => passed(name, "starts"),
    (error: unknown) => {
      const { problem, hint = "" } = error instanceof UserError ? error : { problem: errorText(error) };
      return failed(name, problem, hint);
    },
  );
}

async function git({ target: { environment }, shell }: Inputs): Promise<Check> {
  const run = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)("git", args, { cwd: shell.project, env: { ...environment } })).stdout.trim();
  try {
    const version = await run("--version");
    await run("rev-parse", "--git-dir");
    return passed("git", version.replace("git version ", ""));
  } catch (error) {
    // A deployment needs no git, and an image of the project contains no repository.
    const why = "the access diff compares a stack file with a revision";
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    if (isMissing) return skip("git", "not on PATH", `install git: ${why}`);
    return skip("git", "the project is not in a git repository", `run git init, and commit the stack file: ${why}`);
  }
}
