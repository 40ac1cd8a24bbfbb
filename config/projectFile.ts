import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { isSection } from "./location.ts";
import { ConfigError, type Problem } from "./problems.ts";

export const PROJECT_FILE = "Pulumi.yaml";
/** Configuration that decides what a stack exposes. */
const OWN_KEYS = /^(gatehouse|variables|kubernetes):/;

/**
 * Checks the project file next to a stack file, if there is one; see {@link checkProjectFile}.
 * @param stackFile path
 */
export function checkProjectOf(stackFile: string): void {
  const file = join(dirname(stackFile), PROJECT_FILE);
  if (existsSync(file)) checkProjectFile(readFileSync(file, "utf8"));
}

/**
 * Refuses a project file that gives stacks configuration: the engine would deploy it, while the access diff, verification and audit read stack files
 * only (https://www.pulumi.com/docs/iac/concepts/config, Project level configuration).
 * @param text of Pulumi.yaml
 * @throws ConfigError
 */
export function checkProjectFile(text: string): void {
  const content: unknown = parse(text);
  if (!isSection(content)) return;
  const hint = "write it to Pulumi.<stack>.yaml, which every check reads";
  const problems: Problem[] = [];
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
