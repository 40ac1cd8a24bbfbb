/** Where the stack files of a version come from: a revision of git, the working tree, or one file. */
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parseStackFile, type RawStack, readStackFile } from "../../../config/load.ts";
import { UserError } from "../../../config/userError.ts";

export interface Version {
  /** The stacks that have a file. */
  readonly stacks: readonly string[];
  /** @throws ConfigError when the file of a stack is not YAML */
  read(stack: string): RawStack;
}

/** A version that cannot be had; the message says what to do. */
export class VersionError extends UserError {
  override readonly name = "VersionError";
}

/** What is in the folder now. */
export function workingTree(project: string): Version {
  return {
    stacks: stacksOf(readdirSync(project)),
    read: (stack) => readStackFile(join(project, fileOf(stack)), stack),
  };
}

/** One file as the only stack of a version. */
export function stackFile(path: string, stack: string): Version {
  return { stacks: [stack], read: () => readStackFile(path, stack) };
}

/**
 * What git has; nothing of it is run.
 * @param project folder of the stack files, in a clone
 * @throws VersionError when there is no such revision
 */
export function revision(project: string, name: string): Version {
  const commit = git(project, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`])?.trim();
  if (commit === undefined) {
    throw new VersionError(
      `"${name}" is neither a revision of git nor a file; name one, e.g. main, HEAD~1 or origin/main`,
    );
  }
  const names = git(project, ["ls-tree", "--name-only", "-z", commit, "./"])?.split("\0") ?? [];
  return {
    stacks: stacksOf(names),
    read: (stack) => {
      const file = fileOf(stack);
      const text = git(project, ["show", `${commit}:./${file}`]);
      if (text === undefined) throw new VersionError(`git cannot show ${file} of ${name}; fetch it whole`);
      return parseStackFile(text, stack, file);
    },
  };
}

/** @returns undefined when git refuses */
function git(project: string, args: readonly string[]): string | undefined {
  try {
    return execFileSync("git", args, {
      cwd: project,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw new VersionError("git is not installed; install it");
    return undefined;
  }
}

function fileOf(stack: string): string {
  return `Pulumi.${stack}.yaml`;
}

function stacksOf(files: readonly string[]): string[] {
  return files.flatMap((file) => /^Pulumi\.(.+)\.yaml$/.exec(file)?.[1] ?? []).sort();
}
