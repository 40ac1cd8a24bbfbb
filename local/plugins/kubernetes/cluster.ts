import { Agent, request } from "undici";

import type { Values } from "../protocol/plugin.ts";
import { itemsOf, textOf } from "../protocol/values.ts";
import { ApiError, Unreachable } from "./errors.ts";
import type { Access } from "./kubeconfig.ts";

interface Kind {
  readonly plural: string;
  readonly namespaced: boolean;
}

type Body = Record<string, unknown>;

/**
 * One Kubernetes API server, over connections that are kept. The client of `@kubernetes/client-node` opens a TLS connection per call,
 * and drops what its generated types do not know.
 */
export class Cluster {
  /** Where an object goes that names no namespace. */
  readonly namespace: string;
  readonly #server: string;
  readonly #headers: Record<string, string>;
  readonly #agent: Agent;
  readonly #kinds = new Map<string, Promise<Map<string, Kind>>>();

  constructor({ server, namespace, authorization, tls }: Access) {
    this.namespace = namespace;
    this.#server = server;
    this.#headers = { accept: "application/json", ...(authorization && { authorization }) };
    this.#agent = new Agent({ connect: tls });
  }

  /** The live object that has the kind, name and namespace of this one. */
  async read(object: Values): Promise<Values | undefined> {
    return (await this.#find(object)) && this.#unlessMissing(this.#send("GET", await this.#path(object)));
  }

  /** The objects with these labels in a namespace. */
  async list(apiVersion: string, kind: string, namespace: string, labels: Values): Promise<Values[]> {
    const path = await this.#path({ apiVersion, kind, metadata: { namespace } });
    const labelSelector = Object.entries(labels).map(([name, value]) => `${name}=${textOf(value)}`);
    const found = await this.#send(
      "GET",
      `${path}?${String(new URLSearchParams({ labelSelector: labelSelector.join() }))}`,
    );
    return itemsOf(found, "items");
  }

  /** Server-side apply. A dry run checks and fills in everything, and changes nothing. */
  async apply(object: Values, manager: string, options: { force: boolean; dryRun: boolean }): Promise<Values> {
    const query = new URLSearchParams({ fieldManager: manager, force: String(options.force) });
    if (options.dryRun) query.set("dryRun", "All");
    return this.#send("PATCH", `${await this.#path(object)}?${String(query)}`, object, "application/apply-patch+yaml");
  }

  /** Starts the deletion; the object is gone when all that it owns is. False when it was gone before. */
  async remove(object: Values): Promise<boolean> {
    if (!(await this.#find(object))) return false;
    const answer = this.#send("DELETE", await this.#path(object), { propagationPolicy: "Foreground" });
    return (await this.#unlessMissing(answer)) !== undefined;
  }

  /** True when objects of this kind live in a namespace; undefined when the cluster does not know the kind (yet). */
  async isNamespaced(object: Values): Promise<boolean | undefined> {
    return (await this.#find(object))?.namespaced;
  }

  async #path(object: Values): Promise<string> {
    const kind = await this.#find(object);
    if (!kind)
      throw new ApiError(404, `the cluster has no kind "${textOf(object, "kind")}" in ${textOf(object, "apiVersion")}`);
    const namespace = textOf(object, "metadata", "namespace") ?? this.namespace;
    const name = textOf(object, "metadata", "name");
    const parts = [...(kind.namespaced ? ["namespaces", namespace] : []), kind.plural, ...(name ? [name] : [])];
    return `${groupPath(object)}/${parts.map(encodeURIComponent).join("/")}`;
  }

  /** Asks again for a kind that is not in what the cluster said before: its definition may be new. */
  async #find(object: Values): Promise<Kind | undefined> {
    const path = groupPath(object);
    const name = textOf(object, "kind") ?? "";
    const known = (await this.#kinds.get(path))?.get(name);
    if (known) return known;
    const asked = this.#discover(path);
    this.#kinds.set(path, asked);
    asked.catch(() => this.#kinds.delete(path));
    return (await asked).get(name);
  }

  async #discover(path: string): Promise<Map<string, Kind>> {
    const { resources } = (await this.#unlessMissing(this.#send("GET", path))) ?? { resources: [] };
    const kinds = (resources as unknown as { name: string; kind: string; namespaced: boolean }[]).filter(
      ({ name }) => !name.includes("/"),
    );
    return new Map(kinds.map(({ name, kind, namespaced }) => [kind, { plural: name, namespaced }]));
  }

  async #unlessMissing(answer: Promise<Values>): Promise<Values | undefined> {
    return answer.catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    });
  }

  async #send(
    method: "GET" | "PATCH" | "DELETE",
    path: string,
    body?: Body,
    type = "application/json",
  ): Promise<Values> {
    const response = await request(`${this.#server}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: body ? { ...this.#headers, "content-type": type } : this.#headers,
      body: body && JSON.stringify(body),
    }).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message || error.name : String(error);
      throw new Unreachable(`the Kubernetes API server at ${this.#server} does not answer: ${reason}`);
    });
    const answer = (await response.body.json().catch(() => ({}))) as Values;
    if (response.statusCode < 300) return answer;
    throw new ApiError(
      response.statusCode,
      textOf(answer, "message") ?? `the API server answers ${response.statusCode}`,
    );
  }
}

function groupPath(object: Values): string {
  const apiVersion = textOf(object, "apiVersion") ?? "v1";
  return apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}
