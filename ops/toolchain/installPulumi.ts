/** `node ops/toolchain/installPulumi.ts FOLDER`: installs Pulumi and its provider plugins into a PULUMI_HOME, for the container image. */
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { errorText } from "../../config/errors/errorText.ts";
import { UserError } from "../../config/errors/userError.ts";
import type { Environment } from "../../config/variables/variables.ts";
import { createProgress, type Progress } from "../terminal/progress.ts";
import { findPlugins, emulatedPlugins } from "./plugins.ts";
import { ensureTools } from "./toolchain.ts";

/**
 * Copies Pulumi to `bin/` of a folder, and installs the provider plugins into its `plugins/`.
 * @param pulumi path of the CLI
 * @throws UserError that names the plugins that cannot be installed, with the output of Pulumi
 */
export async function installPulumi(
  pulumi: string,
  folder: string,
  environment: Environment,
  progress: Progress,
): Promise<void> {
  await mkdir(join(folder, "bin"), { recursive: true });
  await copyFile(pulumi, join(folder, "bin", "pulumi"));
  let output = "";
  const found = await findPlugins(pulumi, { ...environment, PULUMI_HOME: folder }, progress, (error) => {
    output = `${errorText(error).trim()}\n`;
  });
  const missing = emulatedPlugins(found);
  if (missing.length === 0) return;
  const plugins = missing.map(({ name, version }) => `${name} ${version}`).join(", ");
  throw new UserError(
    `${output}the provider plugins ${plugins} cannot be installed`,
    "let this machine reach https://get.pulumi.com, or set PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES",
  );
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error("usage: node ops/toolchain/installPulumi.ts FOLDER");
  const progress = createProgress();
  try {
    const { pulumi } = await ensureTools(["pulumi"], progress);
    await installPulumi(pulumi, folder, process.env, progress);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
