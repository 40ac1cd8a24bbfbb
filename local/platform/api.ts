import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { Agent, request } from "undici";
import { parse, parseAllDocuments } from "yaml";
import { type ApiResponse, retryRequest } from "../../infra/apiRetry.ts";

/** The fields of the platform's kubeconfig that this client reads. */
export interface Kubeconfig extends Readonly<Record<string, unknown>> {
  readonly clusters: readonly [{ name: string; cluster: { server: string; "certificate-authority-data": string } }];
  readonly users: readonly [{ name: string; user: { token: string } }];
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

interface Definition {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/**
 * The API server over bare HTTP: the client library's own types lose fields of a custom resource definition's schema (2.0.1:
 * `x-kubernetes-int-or-string`, `enum`).
 */
export class Api {
  readonly #server: string;
  readonly #token: string;
  readonly #dispatcher: Agent;

  /** @param kubeconfig path of the file */
  constructor(kubeconfig: string) {
    const { clusters, users } = parse(readFileSync(kubeconfig, "utf8")) as Kubeconfig;
    const { server, "certificate-authority-data": ca } = clusters[0].cluster;
    this.#server = server;
    this.#token = users[0].user.token;
    this.#dispatcher = new Agent({ connect: { ca: Buffer.from(ca, "base64") } });
  }

  /** Returns whether the API server reports itself ready; sends one request. */
  async isReady(): Promise<boolean> {
    return (await this.#send("GET", "/readyz")).status === 200;
  }

  /** Returns the body of the response. @throws Error when the API server refuses, see `retryRequest` */
  async request(path: string, manifest?: Manifest): Promise<string> {
    const method = manifest ? "PATCH" : "GET";
    const send = (): Promise<ApiResponse> => this.#send(method, path, manifest);
    const { status, body } = await retryRequest({ method, url: path }, send);
    if (status >= 300) throw new Error(`the API server refuses ${method} ${path} (${status}): ${body}`);
    return body;
  }

  /** Applies a manifest with server-side apply. For a CustomResourceDefinition, returns when its kind is served. */
  async apply(manifest: Manifest): Promise<void> {
    const { apiVersion, kind, metadata } = manifest;
    const group = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const namespace = metadata.namespace ? `/namespaces/${metadata.namespace}` : "";
    const path = `${group}${namespace}/${kind.toLowerCase()}s/${metadata.name}`;
    await this.request(`${path}?fieldManager=gatehouse&force=true`, manifest);
    if (kind === "CustomResourceDefinition") while (!(await this.#isServed(path))) await pause(50);
  }

  async #isServed(path: string): Promise<boolean> {
    const { status } = JSON.parse(await this.request(path)) as Definition;
    return status?.conditions?.some(({ type, status: value }) => type === "Established" && value === "True") ?? false;
  }

  async #send(method: "GET" | "PATCH", path: string, manifest?: Manifest): Promise<ApiResponse> {
    const sent = { authorization: `Bearer ${this.#token}`, "content-type": "application/apply-patch+yaml" };
    const options = {
      dispatcher: this.#dispatcher,
      method,
      headers: sent,
      body: manifest ? JSON.stringify(manifest) : null,
    };
    const { statusCode, headers, body } = await request(this.#server + path, options);
    return { status: statusCode, headers, body: await body.text() };
  }

  close(): Promise<void> {
    return this.#dispatcher.close();
  }
}

/** Applies every object in the text; each names its namespace. */
export async function applyYaml(kubeconfig: string, text: string): Promise<void> {
  const manifests = parseAllDocuments(text).map((document) => document.toJS() as Manifest | null);
  const api = new Api(kubeconfig);
  try {
    await Promise.all(manifests.filter((manifest) => manifest !== null).map((manifest) => api.apply(manifest)));
  } finally {
    await api.close();
  }
}
