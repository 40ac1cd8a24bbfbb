import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

import { parse } from "yaml";

import type { Values } from "../protocol/plugin.ts";
import { itemsOf, textOf } from "../protocol/values.ts";
import { Unreachable } from "./errors.ts";

/** Errors quote no line of the file, which has tokens. */
const QUIET = { prettyErrors: false };

/** Address and credentials of an API server. */
export interface Access {
  readonly server: string;
  readonly token: string;
  readonly tls: { ca: Buffer | undefined; rejectUnauthorized: boolean };
}

/**
 * Takes the configuration of the Kubernetes provider: `kubeconfig` (one path or the text; empty: the files in `$KUBECONFIG`, then the user's
 * own) and `context`. Read here and not with `@kubernetes/client-node`, which takes half a second to load, at each run.
 * @throws Unreachable when it names no cluster
 */
export function accessOf(config: Values): Access {
  const given = textOf(config, "kubeconfig");
  const file = given === undefined ? foundFile() : givenFile(given);
  /** Each entry of a list has its name next to its content: `{ name: dev, context: { ... } }`. */
  const entry = (kind: string, name: string | undefined): Values =>
    (itemsOf(file, `${kind}s`).find((one) => one.name === name)?.[kind] ?? {}) as Values;

  const name = textOf(config, "context") ?? textOf(file, "current-context");
  const context = entry("context", name);
  const cluster = entry("cluster", textOf(context, "cluster"));
  const server = textOf(cluster, "server");
  const token = textOf(entry("user", textOf(context, "user")), "token");
  if (server === undefined) {
    const known = itemsOf(file, "contexts").map((one) => textOf(one, "name"));
    const contexts = `the kubeconfig has no context "${name ?? ""}", only: ${known.join(", ")}`;
    throw new Unreachable(`${contexts}; set kubernetes:context`);
  }
  if (token === undefined)
    throw new Unreachable(`the user of context "${name}" has no token. Install the real plugin.`);
  const ca = textOf(cluster, "certificate-authority-data");
  return {
    server: server.replace(/\/$/, ""),
    token,
    tls: { ca: ca ? Buffer.from(ca, "base64") : undefined, rejectUnauthorized: !cluster["insecure-skip-tls-verify"] },
  };
}

/** Returns a file that the program names, or its text. The plugin takes a path without a file, also several paths, for a text (measured). */
function givenFile(given: string): Values {
  const file = parse(existsSync(given) ? readFileSync(given, "utf8") : given, QUIET) as Values | string;
  if (typeof file !== "string") return file;
  throw new Unreachable(
    "failed to parse kubeconfig data in `kubernetes:config:kubeconfig`- couldn't get version/kind; json parse error",
  );
}

/** Returns the entries of all files that kubectl reads. Of entries with one name, the first counts. */
function foundFile(): Values {
  const paths = (textOf(process.env.KUBECONFIG) ?? join(homedir(), ".kube", "config")).split(delimiter);
  const files = paths
    .filter((path) => existsSync(path))
    .map((path) => parse(readFileSync(path, "utf8"), QUIET) as Values);
  const all = (key: string): Values[] => files.flatMap((file) => itemsOf(file, key));
  const current = files.map((file) => textOf(file, "current-context")).find((name) => name !== undefined);
  return { contexts: all("contexts"), clusters: all("clusters"), users: all("users"), "current-context": current };
}
