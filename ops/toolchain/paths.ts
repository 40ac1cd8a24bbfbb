import { homedir } from "node:os";
import path from "node:path";

/**
 * Returns the folder of the local platform's data: `$GATEHOUSE_DATA`, else `/var/lib/gatehouse` for root (Postgres, which
 * refuses to run as root, must be able to reach it under another user), else `~/.local/share/gatehouse`.
 */
export function dataFolder(): string {
  const own = process.getuid?.() === 0 ? "/var/lib/gatehouse" : path.join(homedir(), ".local", "share", "gatehouse");
  return path.resolve(process.env["GATEHOUSE_DATA"] || own);
}
