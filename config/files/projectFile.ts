import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isSection } from "../errors/location.ts";
import { ConfigError, type Problem } from "../errors/problems.ts";
import { parseYamlFile } from "./yamlFile.ts";

export const PROJECT_FILE = "Pulumi.yaml";
/** Part of the path of a stack's state and lock, where commands release and restore them. */
export const PROJECT_NAME = "gatehouse";
/** Project files that the engine takes as well, the first one even before Pulumi.yaml, each with stack files of the same ending. */
const OTHER_PROJECT_FILES = ["Pulumi.json", "Pulumi.yml"];
/** Configuration that decides what a stack exposes. The engine adds the name of the project to a key without a namespace. */
const OWN_KEYS = /^(gatehouse|variables|kubernetes):|^[^:]*$/;

/**
 * Checks the project file next to a stack file, if there is one; see {@link checkProjectFile}.
 * @param stackFile path
 */
export function checkProjectOf(stackFile: string): void {
  const folder = dirname(stackFile);
  checkProjectFiles(
    (name) => existsSync(join(folder, name)),
    () => readFileSync(join(folder, PROJECT_FILE), "utf8"),
  );
}

/**
 * Checks the project files of a folder, or of a revision.
 * @param exists whether it has a file of that name
 * @param read returns the text of Pulumi.yaml
 * @throws ConfigError for another project file than Pulumi.yaml, and as {@link checkProjectFile}
 */
export function checkProjectFiles(exists: (name: string) => boolean, read: () => string): void {
  for (const other of OTHER_PROJECT_FILES.filter(exists)) {
    const hint = `remove it: every check reads ${PROJECT_FILE} and Pulumi.<stack>.yaml`;
    throw new ConfigError(other, [
      { path: other, message: "is another project file, which the engine can read", hint },
    ]);
  }
  if (exists(PROJECT_FILE)) checkProjectFile(read());
}

/** Returns whether a project file can be one of Gatehouse: only another name shows that it is not. @param text of Pulumi.yaml */
export function isOwnProject(text: string): boolean {
  try {
    const parsed = parseYamlFile(text, PROJECT_FILE);
    const name = isSection(parsed) ? parsed["name"] : undefined;
    return typeof name !== "string" || name === PROJECT_NAME;
  } catch (error) {
    if (error instanceof ConfigError) return true;
    throw error;
  }
}

/**
 * Refuses a project file with another name, and one that gives stacks configuration: the engine would deploy it, while the access diff, verification and audit
 * read stack files only (https://www.pulumi.com/docs/iac/concepts/config, Project level configuration).
 * @param text of Pulumi.yaml
 * @throws ConfigError
 */
export function checkProjectFile(text: string): void {
  const parsed = parseYamlFile(text, PROJECT_FILE);
  const content = isSection(parsed) ? parsed : {};
  const hint = "write it to Pulumi.<stack>.yaml, which every check reads";
  const problems: Problem[] = [];
  const { name } = content;
  if (name !== PROJECT_NAME) {
    const found = typeof name === "string" ? `is "${name}", not` : "is not";
    problems.push({
      path: "name",
      message: `${found} "${PROJECT_NAME}", below which every command looks for locks and states`,
      hint: `write name: ${PROJECT_NAME}; before that, rename each deployed stack (docs/deploy.md, Names)`,
    });
  }
  if ("stackConfigDir" in content) {
    problems.push({
      path: "stackConfigDir",
      message: "reads stack files from another folder",
      hint: `remove it, and keep them next to ${PROJECT_FILE}`,
    });
  }
  const config = isSection(content["config"]) ? content["config"] : {};
  for (const [key, value] of Object.entries(config)) {
    const hasValue = isSection(value) ? "value" in value || "default" in value : true;
    if (OWN_KEYS.test(key) && hasValue)
      problems.push({ path: `config.${key}`, message: "gives every stack a value", hint });
  }
  if (problems.length > 0) throw new ConfigError(PROJECT_FILE, problems);
}
