import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { Environment } from "../../config/variables.ts";
import { dataFolder, pulumiHome } from "./paths.ts";
import type { Progress } from "../terminal/progress.ts";
import { isReachable } from "./download.ts";
import { which } from "./find.ts";
import { pluginVersions, type PluginName } from "./tools.ts";
import { errorText } from "../../config/errorText.ts";

export interface Plugin {
  readonly name: PluginName;
  /** Whether the publisher's plugin is installed, or the emulator in `emulators/plugins` is used. */
  readonly kind: "real" | "emulator";
  readonly version: string;
  /** The executable of a real plugin. */
  readonly path?: string;
}

/** Default server of the Pulumi CLI for plugins. */
const PLUGIN_SERVER = "https://get.pulumi.com/";
/** Milliseconds without a new attempt after a failed download, so that a later start stays fast. GATEHOUSE_RETRY_PLUGINS=1 tries again. */
const REMEMBERED = 24 * 60 * 60 * 1000;

/**
 * Finds the provider plugins in the engine's folders, or installs them there. A plugin that cannot be installed is replaced by an emulator.
 * The terraform-provider plugin downloads authentik's Terraform provider when it runs: if it could be installed, the network for that
 * is reachable too.
 * @param pulumi path of the CLI, whose `plugin install` is used
 * @param environment of the engine, which searches plugins on PATH and in PULUMI_HOME, by default `~/.pulumi`
 */
export async function findPlugins(pulumi: string, environment: Environment, progress: Progress): Promise<Plugin[]> {
  const found = await installedPlugins(environment);
  if (standIns(found).length === 0 || (await refusedLately(environment))) return found;
  const work = (report: Report): Promise<Plugin[]> => install(pulumi, found, environment, report);
  return progress.step("Installing the provider plugins", work, "30 s");
}

type Report = (detail: string) => void;

/** Looks for the provider plugins in the engine's folders, and installs none. */
export function installedPlugins(environment: Environment): Promise<Plugin[]> {
  return Promise.all((Object.keys(pluginVersions) as PluginName[]).map((name) => findPlugin(name, environment)));
}

/** Returns the plugins that are not installed. */
export function standIns(plugins: readonly Plugin[]): Plugin[] {
  return plugins.filter(({ kind }) => kind === "emulator");
}

async function findPlugin(name: PluginName, environment: Environment): Promise<Plugin> {
  const version = pluginVersions[name];
  const program = `pulumi-resource-${name}`;
  const folders = (environment["PATH"] ?? "").split(path.delimiter).filter((folder) => !isOurs(folder));
  // The CLI reads the user's home from the user database, not from HOME.
  const home = environment["PULUMI_HOME"] || path.join(userInfo().homedir, ".pulumi");
  const installed = path.join(home, "plugins", `resource-${name}-v${version}`);
  const file = await which(program, [...folders, installed].join(path.delimiter));
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
): Promise<Plugin[]> {
  const env = { ...environment, PULUMI_SKIP_UPDATE_CHECK: "true" };
  try {
    await checkServer(environment);
    for (const { name, version } of standIns(found)) {
      report(`${name} ${version}`);
      await promisify(execFile)(pulumi, ["plugin", "install", "resource", name, version], { env, timeout: 5 * 60_000 });
    }
  } catch (error) {
    await remember(errorText(error));
  }
  return installedPlugins(environment);
}

/** Checks the plugin server. The CLI retries an unreachable one many times; this check takes seconds. */
async function checkServer(environment: Environment): Promise<void> {
  const override = environment["PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES"];
  if (!override && !(await isReachable(PLUGIN_SERVER))) throw new Error(`${PLUGIN_SERVER} cannot be reached`);
}

async function refusedLately(environment: Environment): Promise<boolean> {
  if (environment["GATEHOUSE_RETRY_PLUGINS"]) return false;
  const text = await readFile(memory(), "utf8").catch(() => undefined);
  return text !== undefined && Date.now() - (JSON.parse(text) as { at: number }).at < REMEMBERED;
}

async function remember(why: string): Promise<void> {
  await mkdir(path.dirname(memory()), { recursive: true });
  await writeFile(memory(), JSON.stringify({ at: Date.now(), why }));
}

function memory(): string {
  return path.join(pulumiHome(), "plugins-refused.json");
}
