import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { parse } from "yaml";

import type { Values } from "../protocol/plugin.ts";
import { itemsOf, textOf } from "../protocol/values.ts";
import { Unreachable } from "./errors.ts";

/** Address and credentials of an API server. */
export interface Access {
  readonly server: string;
  readonly token: string;
  readonly tls: { ca: Buffer | undefined; rejectUnauthorized: boolean };
}

/**
 * Takes the configuration of the Kubernetes provider: `kubeconfig` (a path or the text; default: `$KUBECONFIG`, then the user's own) and
 * `context`. Read here and not with `@kubernetes/client-node`, which takes half a second to load, at each run.
 * Throws Unreachable when it names no cluster.
 */
export function accessOf(config: Values): Access {
  const given = textOf(config, "kubeconfig") ?? textOf(process.env.KUBECONFIG) ?? join(homedir(), ".kube", "config");
  const file = parse(given.includes("\n") || given.startsWith("{") ? given : textIn(given)) as Values;
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

function textIn(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    throw new Unreachable(`the kubeconfig "${file}" cannot be read; set kubernetes:kubeconfig`);
  }
}
