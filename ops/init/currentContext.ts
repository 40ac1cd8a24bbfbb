import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { parse } from "yaml";
import type { Environment } from "../../config/variables.ts";

/** Returns the current context of a shell's kubeconfig; undefined if there is none. The first of several files that has one applies, as in kubectl. */
export function currentContext(environment: Environment): string | undefined {
  const files = (environment["KUBECONFIG"] || join(homedir(), ".kube", "config")).split(delimiter);
  const contexts = files.filter((file) => existsSync(file)).map(contextIn);
  return contexts.find((context) => context !== undefined);
}

/** An unreadable file counts as one without a context, because only a default depends on it. */
function contextIn(file: string): string | undefined {
  try {
    const { "current-context": context } = parse(readFileSync(file, "utf8")) as { "current-context"?: unknown };
    return typeof context === "string" && context !== "" ? context : undefined;
  } catch {
    return undefined;
  }
}
