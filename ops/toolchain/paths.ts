import { homedir } from "node:os";
import path from "node:path";

/** The checkout of this project (absolute). */
export function projectFolder(): string {
  return path.resolve(import.meta.dirname, "../..");
}

/** Programs, plugins and half-finished downloads; safe to delete. `$GATEHOUSE_CACHE`, else `~/.cache/gatehouse`. */
export function cacheFolder(): string {
  return chosen("GATEHOUSE_CACHE") ?? path.join(homedir(), ".cache", "gatehouse");
}

/**
 * Everything the local platform keeps between runs. `$GATEHOUSE_DATA`, else `/var/lib/gatehouse` for root (Postgres, which
 * refuses to run as root, must be able to reach it under another user), else `~/.local/share/gatehouse`.
 */
export function dataFolder(): string {
  const own = process.getuid?.() === 0 ? "/var/lib/gatehouse" : path.join(homedir(), ".local", "share", "gatehouse");
  return chosen("GATEHOUSE_DATA") ?? own;
}

/** The home of the Pulumi CLI of the local platform: its plugin cache and credentials, apart from the user's own. */
export function pulumiHome(): string {
  return path.join(cacheFolder(), "pulumi");
}

function chosen(variable: string): string | undefined {
  const value = process.env[variable];
  return value ? path.resolve(value) : undefined;
}
