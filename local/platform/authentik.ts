import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { which } from "../../ops/launcher/which.js";

/** Names an executable that starts a real authentik as its container image does: `server`, `worker`, `proxy`, `healthcheck`. */
const VARIABLE = "GATEHOUSE_AUTHENTIK";

/**
 * Returns the executable of a real authentik; undefined = the emulator runs.
 * @param environment GATEHOUSE_AUTHENTIK names one, else `ak` on PATH is used
 * @throws Error when GATEHOUSE_AUTHENTIK names no executable file
 */
export function findAuthentik(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const named = environment[VARIABLE];
  if (!named) return which("ak", environment["PATH"] ?? "");
  const folder = named.slice(0, named.lastIndexOf("/"));
  const found = which(named.slice(folder.length + 1), folder);
  if (found === undefined) {
    throw new Error(
      `${VARIABLE}: ${named} is not an executable file. Set it to the absolute path of one, or unset it.`,
    );
  }
  return found;
}

/** Returns the line that names the authentik that runs. */
export function describeAuthentik(executable: string | undefined): string {
  return `authentik: ${executable ?? "the emulator (emulators/authentik)"}`;
}

/** Returns the folder of the default blueprints of a real authentik. */
export async function defaultBlueprints(executable: string): Promise<string> {
  const { stdout } = await promisify(execFile)(executable, ["dump_config", "blueprints_dir"]);
  return stdout.trim();
}
