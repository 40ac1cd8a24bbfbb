import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { cacheFolder } from "../../ops/launcher/cacheFolder.js";

/**
 * Returns the home of the local platform's Pulumi CLI: its plugin cache and credentials, separate from the user's.
 *
 * Its `logs` is a file, so that the engine writes no log of its own: it has no option against it, takes a tenth of the CPU time of a deployment for it, and
 * keeps up to 500 MB (measured with 3.250.0; pkg/logging/encrypted.go).
 */
export function pulumiHome(): string {
  const home = path.join(cacheFolder(), "pulumi");
  const logs = path.join(home, "logs");
  if (!statSync(logs, { throwIfNoEntry: false })?.isFile()) {
    mkdirSync(home, { recursive: true });
    rmSync(logs, { recursive: true, force: true });
    writeFileSync(logs, "A file instead of a folder: Pulumi writes no logs (local/platform/pulumiHome.ts).\n");
  }
  return home;
}
