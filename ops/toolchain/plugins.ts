import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { homeFolder } from "../../config/files/folders.ts";
import type { Environment } from "../../config/variables/variables.ts";
import { dataFolder } from "./paths.ts";
import { which } from "../launcher/which.js";
import type { Progress, Report } from "../terminal/progress.ts";
import { isReachable } from "./download.ts";
import { pluginVersions, type PluginName } from "./tools.ts";

export interface Plugin {
  readonly name: PluginName;
  /** Whether the publisher's plugin is installed, or the emulator in `emulators/plugins` is used. */
  readonly kind: "real" | "emulator";
  readonly version: string;
  readonly path?: string;
}

type OnFailure = (error: unknown, name: PluginName) => void;

/** Default server of the Pulumi CLI for plugins. */
const PLUGIN_SERVER = "https://get.pulumi.com/";

/**
 * Finds the provider plugins in the engine's folders, or installs them there. A plugin that cannot be installed is replaced by an emulator.
 * The terraform-provider plugin downloads authentik's Terraform provider when it runs: if it could be installed, the network for that
 * is reachable too.
 * @param pulumi path of the CLI, whose `plugin install` is used
 * @param environment of the engine, which searches plugins on PATH and in PULUMI_HOME, by default `~/.pulumi`
 * @param onFailure receives the error of the first `plugin install` that fails; the others are not tried
 */
export async function findPlugins(
  pulumi: string,
  environment: Environment,
  progress: Progress,
  onFailure: OnFailure = () => undefined,
): Promise<Plugin[]> {
  const found = installedPlugins(environment);
  if (emulatedPlugins(found).length === 0) return found;
  const work = (report: Report): Promise<Plugin[]> => install(pulumi, found, environment, report, onFailure);
  return progress.step("Installing the provider plugins", work, "30 s");
}

/** Looks for the provider plugins in the engine's folders, and installs none. */
export function installedPlugins(environment: Environment): Plugin[] {
  return (Object.keys(pluginVersions) as PluginName[]).map((name) => findPlugin(name, environment));
}

/** Returns the plugins that are replaced by an emulator. */
export function emulatedPlugins(plugins: readonly Plugin[]): Plugin[] {
  return plugins.filter(({ kind }) => kind === "emulator");
}

function findPlugin(name: PluginName, environment: Environment): Plugin {
  const version = pluginVersions[name];
  const program = `pulumi-resource-${name}`;
  const folders = (environment["PATH"] ?? "").split(path.delimiter).filter((folder) => !isOurs(folder));
  // The CLI reads the user's home from the user database, not from HOME.
  const home = environment["PULUMI_HOME"] || path.join(homeFolder(), ".pulumi");
  const installed = path.join(home, "plugins", `resource-${name}-v${version}`);
  const file = which(program, [...folders, installed].join(path.delimiter));
  return file ? { name, kind: "real", version, path: file } : { name, kind: "emulator", version };
}

/** Returns whether a folder contains our emulators, which are launched from the data folder. */
function isOurs(folder: string): boolean {
  return !path.relative(dataFolder(), folder).startsWith("..");
}

async function install(
  pulumi: string,
  found: readonly Plugin[],
  environment: Environment,
  report: Report,
  onFailure: OnFailure,
): Promise<Plugin[]> {
  if (!(await isServerReachable(environment))) return [...found];
  const env = { ...environment, PULUMI_SKIP_UPDATE_CHECK: "true" };
  for (const { name, version } of emulatedPlugins(found)) {
    report(`${name} ${version}`);
    try {
      await promisify(execFile)(pulumi, ["plugin", "install", "resource", name, version], { env, timeout: 5 * 60_000 });
    } catch (error) {
      // The caller reports the plugins that are missing.
      onFailure(error, name);
      break;
    }
  }
  return installedPlugins(environment);
}

/** Returns whether the plugin server answers. The CLI retries an unreachable one many times; this check takes at most 5 seconds. */
async function isServerReachable(environment: Environment): Promise<boolean> {
  return Boolean(environment["PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES"]) || isReachable(PLUGIN_SERVER);
}
