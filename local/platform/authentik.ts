import { which } from "../../ops/toolchain/find.ts";

/** Names an executable that starts a real authentik as its container image does: `server`, `worker`, `proxy`, `healthcheck`. */
const VARIABLE = "GATEHOUSE_AUTHENTIK";

/**
 * Returns the executable of a real authentik; undefined = the emulator runs.
 * @param environment GATEHOUSE_AUTHENTIK names one, else `ak` on PATH is used
 * @throws Error when GATEHOUSE_AUTHENTIK names no executable file
 */
export async function findAuthentik(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const named = environment[VARIABLE];
  if (!named) return which("ak", environment["PATH"] ?? "");
  const folder = named.slice(0, named.lastIndexOf("/"));
  const found = await which(named.slice(folder.length + 1), folder);
  if (found === undefined) {
    throw new Error(
      `${VARIABLE}: ${named} is not an executable file. Set it to the absolute path of one, or unset it.`,
    );
  }
  return found;
}
