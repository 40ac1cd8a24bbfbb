import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { Agent, fetch } from "undici";
import { parse, parseAllDocuments } from "yaml";
import type { Kubeconfig } from "./cluster.ts";

interface Definition {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** On the last definition of a file that is applied: the text they were made from. Unchanged text is not sent again. */
const SOURCE = "gatehouse.dev/source-sha256";

/** Applies the custom resource definitions in YAML files and waits until the API server serves them. */
export async function applyCrds(kubeconfig: string, files: readonly string[]): Promise<void> {
  const api = new DefinitionApi(parse(await readFile(kubeconfig, "utf8")) as Kubeconfig);
  try {
    const known = await api.list();
    const applied = new Set(known.map(({ metadata }) => metadata.annotations?.[SOURCE]));
    for (const file of files) {
      const text = await readFile(file, "utf8");
      const hash = createHash("sha256").update(text).digest("hex");
      if (!applied.has(hash)) await applyAll(api, text, hash);
    }
  } finally {
    await api.close();
  }
}

async function applyAll(api: DefinitionApi, text: string, hash: string): Promise<void> {
  const documents = parseAllDocuments(text).map((document) => document.toJS() as Definition | null);
  const definitions = documents.filter((definition) => definition !== null);
  await Promise.all(definitions.map((definition) => api.apply(definition)));
  await Promise.all(definitions.map(({ metadata }) => api.served(metadata.name)));
  const last = definitions.at(-1);
  if (last)
    await api.apply({
      ...last,
      metadata: { ...last.metadata, annotations: { ...last.metadata.annotations, [SOURCE]: hash } },
    });
}

/** Bare HTTP: the client library's own types lose fields of a definition's schema (2.0.1: `x-kubernetes-int-or-string`, `enum`). */
class DefinitionApi {
  readonly #url: string;
  readonly #token: string;
  readonly #dispatcher: Agent;

  constructor({ clusters, users }: Kubeconfig) {
    const [{ cluster }, { user }] = [clusters[0], users[0]];
    this.#url = `${cluster.server}/apis/apiextensions.k8s.io/v1/customresourcedefinitions`;
    this.#token = user.token;
    this.#dispatcher = new Agent({ connect: { ca: Buffer.from(cluster["certificate-authority-data"], "base64") } });
  }

  async list(): Promise<readonly Definition[]> {
    return ((await this.#request("GET", "")) as { items: Definition[] }).items;
  }

  async apply(definition: Definition): Promise<void> {
    await this.#request(
      "PATCH",
      `/${definition.metadata.name}?fieldManager=gatehouse&force=true`,
      JSON.stringify(definition),
    );
  }

  /** Waits until objects of that kind are accepted. */
  async served(name: string): Promise<void> {
    for (;;) {
      const { status } = (await this.#request("GET", `/${name}`)) as Definition;
      if (status?.conditions?.some((condition) => condition.type === "Established" && condition.status === "True"))
        return;
      await pause(50);
    }
  }

  async close(): Promise<void> {
    await this.#dispatcher.close();
  }

  async #request(method: string, path: string, body?: string): Promise<unknown> {
    const headers = { authorization: `Bearer ${this.#token}`, "content-type": "application/apply-patch+yaml" };
    const response = await fetch(this.#url + path, {
      method,
      headers,
      dispatcher: this.#dispatcher,
      ...(body !== undefined && { body }),
    });
    if (!response.ok)
      throw new Error(
        `the API server refuses a custom resource definition (${response.status}): ${await response.text()}`,
      );
    return response.json();
  }
}
