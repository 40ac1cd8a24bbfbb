/** A clone of the project in a temporary folder, for a pull request. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isInstalled } from "../../ops/launcher/install.js";

const root = join(import.meta.dirname, "..", "..");
/** Installed or built folders, which are not committed. */
const INSTALLED = ["node_modules", "sdks/authentik/bin", "sdks/authentik/node_modules"];
/** Folders that the commands of the workflows need. */
const FOLDERS = ["catalog", "config", "infra", "protections", "ops", "sdks", ".github", "contract"];

interface Clone {
  readonly folder: string;
  readonly git: (...args: string[]) => string;
  /** Commits a stack file. @returns the commit */
  readonly commit: (file: string, change: (text: string) => string) => string;
}

/**
 * Clones the project with branch `main` and the stack files `dev` and `local`.
 * @throws Error when the packages are outdated: commands of the clone would install them through the links into this project
 */
export function cloneProject(): Clone {
  if (!isInstalled(root)) throw new Error("the installed packages differ from the lock file. Run: npm run check");
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-ci-"));
  const copied = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], { cwd: root, encoding: "utf8" });
  const wanted = copied
    .split("\0")
    .filter((file) => FOLDERS.includes(file.split("/")[0] ?? "") || /^[^/]+$/.test(file));
  for (const file of wanted.filter(
    (name) => existsSync(join(root, name)) && !/^Pulumi\.(?!(dev|local)\.yaml|yaml)/.test(name),
  )) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  for (const path of INSTALLED) symlinkSync(join(root, path), join(folder, path));
  const author = {
    GIT_AUTHOR_NAME: "Ada",
    GIT_AUTHOR_EMAIL: "ada@example.org",
    GIT_COMMITTER_NAME: "Ada",
    GIT_COMMITTER_EMAIL: "ada@example.org",
  };
  const git = (...args: string[]) =>
    execFileSync("git", args, {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, ...author, GIT_CONFIG_GLOBAL: "/dev/null" },
    });
  git("init", "--quiet", "--initial-branch=main");
  writeFileSync(join(folder, ".git", "info", "exclude"), "node_modules\nbin\n");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Begin");
  const commit: Clone["commit"] = (file, change) => {
    const text = readFileSync(join(folder, file), "utf8");
    const changed = change(text);
    if (changed === text) throw new Error(`no change in ${file}`);
    writeFileSync(join(folder, file), changed);
    git("commit", "--quiet", "--all", "--message", `Change ${file}`);
    return git("rev-parse", "HEAD").trim();
  };
  return { folder, git, commit };
}

/**
 * Commits an open path on the branch `open-health`, and then another change on `main`, which is checked out.
 * @returns the first commit
 */
export function openHealth(clone: Clone): string {
  clone.git("checkout", "--quiet", "-b", "open-health");
  const opening = clone.commit("Pulumi.local.yaml", (text) =>
    text.replace("groups: [admins]", "groups: [admins, staff]\n      public_paths: [/healthz]"),
  );
  clone.git("checkout", "--quiet", "main");
  clone.commit("Pulumi.dev.yaml", (text) => text.replace("groups: [staff, auditors]", "groups: [staff]"));
  return opening;
}
