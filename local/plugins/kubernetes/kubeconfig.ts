import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";

import { parse } from "yaml";

import type { Values } from "../protocol/plugin.ts";
import { isValues, itemsOf, textOf, valueAt } from "../protocol/values.ts";
import { Unreachable } from "./errors.ts";

/** Where an API server is, and how it knows us. */
export interface Access {
  readonly server: string;
  readonly namespace: string;
  /** The value of the `authorization` header, if any. */
  readonly authorization?: string;
  readonly tls: { ca?: Buffer; cert?: Buffer; key?: Buffer; rejectUnauthorized: boolean };
}

/**
 * Takes the configuration of the Kubernetes provider: `kubeconfig` (a path or the text; default: `$KUBECONFIG`, then the user's own),
 * `context`, `cluster`, `namespace`. Read here and not with `@kubernetes/client-node`, which takes half a second to load, at each run.
 * Throws Unreachable when it leads to no cluster.
 */
export function accessOf(config: Values): Access {
  const given = textOf(config, "kubeconfig") ?? textOf(process.env.KUBECONFIG) ?? join(homedir(), ".kube", "config");
  const isText = given.includes("\n") || given.startsWith("{");
  if (!isText && !existsSync(given))
    throw new Unreachable(`the kubeconfig "${given}" does not exist; set kubernetes:kubeconfig`);
  const file = parse(isText ? given : readFileSync(given, "utf8")) as Values;
  /** Each entry of a list has its name beside its content: `{ name: dev, context: { ... } }`. */
  const entry = (kind: string, name: string | undefined): Values | undefined => {
    const content = valueAt(
      itemsOf(file, `${kind}s`).find((one) => one.name === name),
      kind,
    );
    return isValues(content) ? content : undefined;
  };

  const name = textOf(config, "context") ?? textOf(file, "current-context");
  const context = entry("context", name);
  const cluster = entry("cluster", textOf(config, "cluster") ?? textOf(context, "cluster"));
  const server = textOf(cluster, "server");
  if (server === undefined) {
    const known = itemsOf(file, "contexts").map((one) => textOf(one, "name"));
    throw new Unreachable(
      `the kubeconfig has no context "${name ?? ""}", only: ${known.join(", ")}; set kubernetes:context`,
    );
  }
  const user = entry("user", textOf(context, "user"));
  if (user?.exec)
    throw new Unreachable("the kubeconfig asks a program for its credentials; that takes the real plugin");

  const token = textOf(user, "token");
  const folder = isText ? "." : dirname(given);
  /** A file, or what it would hold in base64. */
  const material = (owner: Values | undefined, key: string): Buffer | undefined => {
    const data = textOf(owner, `${key}-data`);
    const path = textOf(owner, key);
    if (data !== undefined) return Buffer.from(data, "base64");
    return path === undefined ? undefined : readFileSync(resolve(folder, path));
  };
  return {
    server: server.replace(/\/$/, ""),
    namespace: textOf(config, "namespace") ?? textOf(context, "namespace") ?? "default",
    authorization: token && `Bearer ${token}`,
    tls: {
      ca: material(cluster, "certificate-authority"),
      cert: material(user, "client-certificate"),
      key: material(user, "client-key"),
      rejectUnauthorized: cluster?.["insecure-skip-tls-verify"] !== true,
    },
  };
}
