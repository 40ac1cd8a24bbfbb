import { kindOf } from "../schema/draft.ts";
import { isSection } from "../errors/location.ts";
import { ConfigError } from "../errors/problems.ts";
import { parseYamlFile } from "./yamlFile.ts";

/**
 * Returns the `config` section of a stack file, which may be missing.
 * @param file its name, for messages
 * @throws ConfigError for an invalid stack file; it does not contain the text of the file, which can contain secrets
 */
export function parseConfig(text: string, file: string): Record<string, unknown> {
  const refuse = (path: string, message: string, hint: string): ConfigError =>
    new ConfigError(file, [{ path, message, hint }]);
  const content = parseYamlFile(text, file);
  if (content === null) throw refuse(file, "is empty", "write the settings below config, see docs/configuration.md");
  if (!isSection(content))
    throw refuse(file, `is ${kindOf(content)}`, "write a section config: with the settings below");
  if ("environment" in content) {
    const hint = "write the settings below config: no preview of access reads an environment of Pulumi ESC";
    throw refuse("environment", "adds configuration from elsewhere", hint);
  }
  const { config = {} } = content;
  if (config !== null && !isSection(config)) {
    throw refuse("config", `is ${kindOf(config)}`, "write one key for each setting, e.g. gatehouse:domains");
  }
  for (const key of Object.keys(config ?? {})) {
    if (/^[^:]+:[^:]+$/.test(key)) continue;
    // The engine reads `domains` and `gatehouse:config:domains` as `gatehouse:domains`, too.
    const name = key.split(":").at(-1) ?? "";
    throw refuse(key, "is not written NAMESPACE:NAME", `write it like gatehouse:${name}, or remove it`);
  }
  return config ?? {};
}
