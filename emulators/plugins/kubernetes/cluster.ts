import { Agent, request } from "undici";

import { type ApiResponse, retryRequest } from "../../../infra/apiRetry.ts";
import type { Values } from "../protocol/plugin.ts";
import { isValues, itemsOf, textOf, valueAt } from "../protocol/values.ts";
import { ApiError, Unreachable } from "./errors.ts";
import type { Access } from "./kubeconfig.ts";
import { CREATOR, handedOver } from "./managers.ts";

const CLUSTER_WIDE = ["namespace", "clusterrole", "clusterrolebinding", "customresourcedefinition"];

interface Call {
  readonly query?: Record<string, string>;
  readonly body?: object;
  readonly type?: string;
}

/** A dry run checks and fills in everything, and changes nothing. */
interface Options {
  readonly dryRun: boolean;
}

/**
 * One Kubernetes API server, over connections that are kept. The client of `@kubernetes/client-node` opens a TLS connection per call,
 * and drops what its generated types do not know. Calls throw ApiError and Unreachable.
 */
export class Cluster {
  readonly #server: string;
  readonly #headers: Record<string, string>;
  readonly #agent: Agent;

  constructor({ server, token, tls }: Access) {
    this.#server = server;
    this.#headers = { accept: "application/json", authorization: `Bearer ${token}` };
    this.#agent = new Agent({ connect: tls });
  }

  /** The live object that has the kind, name and namespace of this one. */
  async read(object: Values): Promise<Values | undefined> {
    return unlessMissing(this.#send("GET", pathOf(object)));
  }

  /** The Pods that a workload selects. */
  async podsOf(workload: Values): Promise<Values[]> {
    const labels = valueAt(workload, "spec", "selector", "matchLabels");
    const wanted = isValues(labels) ? Object.keys(labels).map((name) => `${name}=${textOf(labels, name)}`) : [];
    const namespace = valueAt(workload, "metadata", "namespace");
    const query = { labelSelector: wanted.join() };
    const found = await this.#send("GET", pathOf({ kind: "Pod", metadata: { namespace } }), { query });
    return wanted.length > 0 ? itemsOf(found, "items") : [];
  }

  async create(object: Values, { dryRun }: Options): Promise<Values> {
    const query = { fieldManager: CREATOR, ...(dryRun && { dryRun: "All" }) };
    const { metadata, ...rest } = object;
    const path = pathOf({ ...rest, metadata: { namespace: valueAt(metadata, "namespace") } });
    return this.#send("POST", path, { query, body: object });
  }

  /** Server-side apply: sets these fields, and removes those that the manager had set before and that are not here. */
  async apply(object: Values, manager: string, { force, dryRun }: Options & { force: boolean }): Promise<Values> {
    const query = { fieldManager: manager, force: String(force), ...(dryRun && { dryRun: "All" }) };
    return this.#send("PATCH", pathOf(object), { query, body: object, type: "application/apply-patch+yaml" });
  }

  /** Lets the manager own what the creator and kubectl set. */
  async handOver(live: Values, manager: string): Promise<void> {
    const managedFields = handedOver(live, manager);
    const body = { metadata: { managedFields, resourceVersion: valueAt(live, "metadata", "resourceVersion") } };
    const type = "application/merge-patch+json";
    if (managedFields) await this.#send("PATCH", pathOf(live), { body, type });
  }

  /** Starts the deletion; the object exists until its dependents are deleted. */
  async remove(object: Values): Promise<void> {
    const body = { propagationPolicy: "Foreground" };
    await unlessMissing(this.#send("DELETE", pathOf(object), { body }));
  }

  async #send(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, call: Call = {}): Promise<Values> {
    const { query = {}, body, type = "application/json" } = call;
    const url = `${this.#server}${path}?${new URLSearchParams(query).toString()}`;
    const send = async (): Promise<ApiResponse> => {
      const response = await request(url, {
        method,
        dispatcher: this.#agent,
        headers: body ? { ...this.#headers, "content-type": type } : this.#headers,
        body: body && JSON.stringify(body),
      });
      return { status: response.statusCode, headers: response.headers, body: await response.body.text() };
    };
    const response = await retryRequest({ method, url }, send).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message || error.name : String(error);
      throw new Unreachable(`the API server at ${this.#server} does not answer: ${reason}`);
    });
    const answer = valuesIn(response.body);
    if (response.status < 300) return answer;
    const message = textOf(answer, "message") ?? `the API server answers ${response.status}`;
    throw new ApiError(response.status, message);
  }
}

/** Returns the path of an object, or of its list if it has no name. Discovery returns the same path for every kind that Gatehouse creates. */
function pathOf(object: Values): string {
  const apiVersion = textOf(object, "apiVersion") ?? "v1";
  const kind = (textOf(object, "kind") ?? "").toLowerCase();
  const place = CLUSTER_WIDE.includes(kind) ? [] : ["namespaces", textOf(object, "metadata", "namespace") ?? "default"];
  const parts = [...place, kind.replace(/y$/, "ie") + "s", textOf(object, "metadata", "name") ?? []].flat();
  return `/${[apiVersion.includes("/") ? "apis" : "api", apiVersion, ...parts.map(encodeURIComponent)].join("/")}`;
}

/** Returns an empty object for a body that is not JSON. */
function valuesIn(body: string): Values {
  try {
    return JSON.parse(body) as Values;
  } catch {
    return {};
  }
}

async function unlessMissing(answer: Promise<Values>): Promise<Values | undefined> {
  return answer.catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  });
}
