import { join } from "node:path";
import { SILENT } from "../../ops/terminal/progress.ts";
import { ensureTools } from "../../ops/toolchain/toolchain.ts";
import { pinned } from "../../ops/toolchain/tools.ts";
import { writeExecutable } from "./executable.ts";

/**
 * Puts a Pulumi CLI for clusters on PATH of this process. Where nothing but package registries can be reached, npm test builds only the local variant, and
 * a cluster needs the official one, which would take minutes to build: this script runs the local variant, and prints the official version.
 * @param folder receives the script
 */
export async function putPulumiOnPath(folder: string): Promise<void> {
  const { pulumi } = await ensureTools(["pulumi"], SILENT, { local: true });
  const version = `v${pinned("pulumi").version}`;
  writeExecutable(
    join(folder, "pulumi"),
    `#!/bin/sh\n[ "$*" = version ] && exec echo ${version}\nexec '${pulumi}' "$@"\n`,
  );
  process.env["PATH"] = `${folder}:${process.env["PATH"]}`;
}
