import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { dataFolder, pulumiHome } from "../paths.ts";
import type { Progress } from "../progress.ts";
import { answers } from "./download.ts";
import { which } from "./find.ts";
import { pluginVersions, type PluginName } from "./tools.ts";

export interface Plugin {
  readonly name: PluginName;
  /** Whether the publisher's plugin is there, or the stand-in of `local/plugins` has to serve. */
  readonly kind: "real" | "stand-in";
  readonly version: string;
  /** The executable of a real plugin. */
  readonly path?: string;
}

/** Where the Pulumi CLI downloads plugins from, unless told otherwise. */
const PLUGIN_SERVER = "https://get.pulumi.com/";
/** So long a refused network is not asked again, so that a warm start stays fast. GATEHOUSE_RETRY_PLUGINS=1 asks all the same. */
const REMEMBERED = 24 * 60 * 60 * 1000;

/**
 * Finds the real provider plugins or installs them with `pulumi plugin install`, which `pulumi` is the path of; where the network does
 * not allow it, the answer is a stand-in. The terraform-provider plugin downloads authentik's Terraform provider when it runs: where it
 * could be installed, the network for that is there too.
 */
export async function findPlugins(pulumi: string, progress: Progress): Promise<Plugin[]> {
  let found = await findAll();
  if (standIns(found).length > 0 && !(await refusedLately())) {
    found = await progress.step(
      "Asking for the real provider plugins",
      (report) => install(pulumi, found, report),
      "30 s",
    );
  }
  const missing = standIns(found).map(({ name }) => name);
  if (missing.length > 0) {
    progress.note(
      `Stand-ins serve for the provider plugins ${missing.join(", ")}: the real ones cannot be downloaded here.`,
    );
  }
  return found;
}

function findAll(): Promise<Plugin[]> {
  return Promise.all((Object.keys(pluginVersions) as PluginName[]).map(findPlugin));
}

function standIns(plugins: readonly Plugin[]): Plugin[] {
  return plugins.filter(({ kind }) => kind === "stand-in");
}

async function findPlugin(name: PluginName): Promise<Plugin> {
  const version = pluginVersions[name];
  const program = `pulumi-resource-${name}`;
  const folders = (process.env.PATH ?? "").split(path.delimiter).filter((folder) => !isOurs(folder));
  const homes = [pulumiHome(), process.env.PULUMI_HOME ?? path.join(homedir(), ".pulumi")];
  const caches = homes.map((home) => path.join(home, "plugins", `resource-${name}-v${version}`));
  const file = await which(program, [...folders, ...caches].join(path.delimiter));
  return file ? { name, kind: "real", version, path: file } : { name, kind: "stand-in", version };
}

/** The stand-ins are launched from the data folder. */
function isOurs(folder: string): boolean {
  return !path.relative(dataFolder(), folder).startsWith("..");
}

async function install(pulumi: string, found: Plugin[], report: (detail: string) => void): Promise<Plugin[]> {
  const env = { ...process.env, PULUMI_HOME: pulumiHome(), PULUMI_SKIP_UPDATE_CHECK: "true" };
  try {
    await checkServer();
    for (const { name, version } of standIns(found)) {
      report(`${name} ${version}`);
      await promisify(execFile)(pulumi, ["plugin", "install", "resource", name, version], { env, timeout: 5 * 60_000 });
    }
  } catch (error) {
    await remember(error instanceof Error ? error.message : String(error));
  }
  return findAll();
}

/** The CLI tries a network that refuses again and again; this finds out in seconds. */
async function checkServer(): Promise<void> {
  const elsewhere = process.env.PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES;
  if (!elsewhere && !(await answers(PLUGIN_SERVER))) throw new Error(`${PLUGIN_SERVER} cannot be reached`);
}

async function refusedLately(): Promise<boolean> {
  if (process.env.GATEHOUSE_RETRY_PLUGINS) return false;
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
