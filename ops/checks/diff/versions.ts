/** Where the stack files of a version come from: a revision of git, the working tree, or one file. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseStackFile, type RawStack, readStackFile } from "../../../config/load.ts";
import { ConfigError } from "../../../config/errors/problems.ts";
import { checkProjectFiles, isOwnProject, PROJECT_FILE } from "../../../config/files/projectFile.ts";
import { UserError } from "../../../config/errors/userError.ts";
import { stacksIn, stacksOf } from "../../context/stackFiles.ts";

/** The mode of a link in a tree (git-fast-import(1)). */
const SYMBOLIC_LINK = "120000";
const PARSE = ["rev-parse", "--verify", "--quiet", "--end-of-options"];

export interface Version {
  /** The stacks that have a file. */
  readonly stacks: readonly string[];
  /** @throws ConfigError when the file of a stack is not YAML */
  read(stack: string): RawStack;
  /** Returns the stack files of Gatehouse in other folders of the repository, by their paths from its root. Undefined for a file. */
  readonly otherFiles?: () => string[];
}

/**
 * Returns the stack files of a folder as a version.
 * @param project its path
 */
export function workingTree(project: string): Version {
  return {
    stacks: stacksIn(project),
    read: (stack) => readStackFile(join(project, fileOf(stack)), stack),
    otherFiles: () => {
      const unknown = `git cannot list the files of ${project}`;
      const root = join(project, git(project, unknown, "rev-parse", "--show-cdup").trim());
      const paths = git(project, unknown, "ls-files", "-z", "--full-name", "--", ":(top,glob)**/Pulumi*.yaml").split(
        "\0",
      );
      return otherFiles(
        paths.filter((path) => existsSync(join(root, path))),
        prefixOf(project),
        (path) => readFileSync(join(root, path), "utf8"),
      );
    },
  };
}

/** Returns whether git reads a name as a revision of the project; false without git or a repository that it reads. */
export function isRevision(project: string, name: string): boolean {
  try {
    return git(project, "", ...PARSE, `${name}^{commit}`) !== "";
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}

/** Returns one file as the only stack of a version. */
export function stackFile(path: string, stack: string): Version {
  return { stacks: [stack], read: () => readStackFile(path, stack) };
}

/**
 * Returns the stack files of a commit. Runs nothing of them. Reading a stack throws a ConfigError if its file or Pulumi.yaml is a symbolic link.
 * @param project folder of the stack files, in a clone
 * @throws UserError for an unknown revision
 */
export function revision(project: string, name: string): Version {
  const unknown =
    `"${name}" is neither a revision of git nor a file that ends in .yaml or .yml; ` +
    "name one, e.g. main, HEAD~1 or origin/main";
  const commit = git(project, unknown, ...PARSE, `${name}^{commit}`).trim();
  const missing = `git cannot show the files of ${name}; fetch it whole`;
  // Each entry is `MODE TYPE OBJECT<tab>NAME`.
  const entries = git(project, missing, "ls-tree", "-z", commit, "./").split("\0");
  const modes = new Map(entries.map((entry) => [entry.slice(entry.indexOf("\t") + 1), entry.slice(0, 6)]));
  const show = (file: string): string => {
    if (modes.get(file) === SYMBOLIC_LINK) throw linkError(file);
    return git(project, missing, "show", `${commit}:./${file}`);
  };
  return {
    stacks: stacksOf([...modes.keys()]),
    read: (stack) => {
      checkProjectFiles(
        (name) => modes.has(name),
        () => show(PROJECT_FILE),
      );
      return parseStackFile(show(fileOf(stack)), stack, fileOf(stack));
    },
    otherFiles: () => {
      const paths = git(project, missing, "ls-tree", "-r", "-z", "--full-tree", "--name-only", commit).split("\0");
      return otherFiles(paths, prefixOf(project), (path) => git(project, missing, "show", `${commit}:${path}`));
    },
  };
}

function prefixOf(project: string): string {
  return git(project, `git cannot read ${project}`, "rev-parse", "--show-prefix").trim();
}

/**
 * Returns the stack files next to a project file of Gatehouse in other folders than that of the project.
 * @param paths of all files of the repository, from its root
 * @param prefix path of the project: empty, or with a slash at its end
 */
function otherFiles(paths: readonly string[], prefix: string, read: (path: string) => string): string[] {
  const known = new Set(paths);
  return paths.filter((path) => {
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    const project = folder + PROJECT_FILE;
    const isStackFile = stacksOf([path.slice(folder.length)]).length > 0;
    return isStackFile && folder !== prefix && known.has(project) && isOwnProject(read(project));
  });
}

/** Returns the error of a symbolic link: git contains its target as text, while the engine reads the file that it names. */
function linkError(file: string): ConfigError {
  const message = "is a symbolic link, so git contains its target instead of the configuration";
  return new ConfigError(file, [{ path: file, message, hint: "commit the file itself" }]);
}

/** @throws UserError with the message, when git fails */
function git(cwd: string, message: string, ...args: readonly string[]): string {
  try {
    return execFileSync("git", args, {
      cwd,
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C" },
      maxBuffer: 64 * 1024 * 1024,
      stdio: ["ignore", "pipe", "pipe"],
    });
  } catch (error) {
    const { code, stderr } = error as NodeJS.ErrnoException & { readonly stderr?: string };
    if (code === "ENOENT") throw new UserError("git is not installed", "install it");
    if (stderr?.startsWith("fatal: not a git repository"))
      throw new UserError(`no git repository contains ${cwd}; create one with git init, and commit the stack files`);
    // Git's own hint for the repository of another user, with its root.
    const [command] = /git config --global --add safe\.directory .+/.exec(stderr ?? "") ?? [];
    if (command === undefined) throw new UserError(message);
    throw new UserError(`git does not read ${cwd}: the repository belongs to another user`, `run: ${command}`);
  }
}

/** Returns the name of a stack's file. */
export function fileOf(stack: string): string {
  return `Pulumi.${stack}.yaml`;
}
