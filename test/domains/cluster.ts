/** Temporary routes and middlewares in the cluster: what stands there when a defence is taken away. */
import { randomUUID } from "node:crypto";
import { CustomObjectsApi } from "@kubernetes/client-node";
import { expect, inject } from "vitest";
import { RetryingKubeConfig } from "../../infra/kubeConfig.ts";
import type { Exposure } from "../../infra/plan/types.ts";
import type { Answer } from "../../ops/clients/http.ts";
import { sendRaw } from "./raw-requests.ts";

export interface TraefikObject {
  readonly kind: "IngressRoute" | "Middleware";
  readonly name: string;
  /** Default: `default`, where the stack's applications are. */
  readonly namespace?: string;
  readonly spec: Readonly<Record<string, unknown>>;
}

const api = { group: "traefik.io", version: "v1alpha1" };

function customObjects(): CustomObjectsApi {
  const config = new RetryingKubeConfig();
  config.loadFromFile(inject("domains").kubeconfig);
  return config.makeApiClient(CustomObjectsApi);
}

/** Makes the objects, does the work, and takes them away again. The gateway hears of them later: poll. */
export async function withObjects(objects: readonly TraefikObject[], work: () => Promise<void>): Promise<void> {
  const cluster = customObjects();
  const made: Parameters<CustomObjectsApi["deleteNamespacedCustomObject"]>[0][] = [];
  try {
    for (const { kind, name, namespace = "default", spec } of objects) {
      const place = { ...api, namespace, plural: `${kind.toLowerCase()}s` };
      const body = { apiVersion: `${api.group}/${api.version}`, kind, metadata: { name, namespace }, spec };
      await cluster.createNamespacedCustomObject({ ...place, body });
      made.push({ ...place, name });
    }
    await work();
  } finally {
    for (const object of made) await cluster.deleteNamespacedCustomObject(object);
  }
}

/**
 * A middleware that marks answers in X-Control with its own name. Only a route that names it can have sent such an answer: the gateway
 * may still serve an older route, even with changed middlewares.
 */
export function markOf(id: string): TraefikObject {
  const name = `control-${id}`;
  return { kind: "Middleware", name, spec: { headers: { customResponseHeaders: { "X-Control": name } } } };
}

/** The fields of one of the stack's middlewares, e.g. those below `forwardAuth`. */
export async function middlewareFields(name: string, kind: string): Promise<Readonly<Record<string, unknown>>> {
  const place = { ...api, namespace: "default", plural: "middlewares", name };
  const { spec } = (await customObjects().getNamespacedCustomObject(place)) as {
    spec: Record<string, Record<string, unknown>>;
  };
  return spec[kind] ?? {};
}

/** A way to route the attacked path. */
export interface Variant {
  readonly chain: readonly string[];
  /** Traefik's rule. Default: one path of the exposure's host, `/control`. */
  readonly match?: string;
  /** What the attack gives. */
  readonly gives: unknown;
}

export interface Proof {
  readonly exposure: Exposure;
  /** Default: where the exposure's application is routed. */
  readonly entryPoint?: string;
  /** A URL that both variants match. Default: `/control` on the exposure. */
  readonly ready?: string;
  readonly attack: () => Promise<Answer>;
  /** What is seen of the answer. */
  readonly seen: (answer: Answer) => unknown;
  readonly without: Variant;
  readonly with: Variant;
  /** More middlewares, for the chains. */
  readonly middlewares?: Readonly<Record<string, TraefikObject["spec"]>>;
}

/** Routes some path of an exposure without a defence, and then with it, above the stack's own routes, and attacks both. */
export async function prove(proof: Proof): Promise<void> {
  const { exposure, attack, seen, ready = `${exposure.url}/control`, middlewares = {} } = proof;
  for (const phase of ["without", "with"] as const) {
    const mark = markOf(randomUUID());
    const objects = Object.entries(middlewares).map(([name, spec]): TraefikObject => ({
      kind: "Middleware",
      name,
      spec,
    }));
    await withObjects([mark, ...objects, route(proof, proof[phase], mark.name)], async () => {
      const marked = async () => (await sendRaw(ready)).headers["x-control"];
      await expect.poll(marked, { timeout: 240_000, interval: 100 }).toBe(mark.name);
      expect([phase, seen(await attack())]).toEqual([phase, proof[phase].gives]);
    });
  }
}

function route({ exposure, entryPoint }: Proof, { chain, match }: Variant, mark: string): TraefikObject {
  const { host, backend, tls } = exposure;
  const secure = entryPoint === undefined && tls !== undefined && tls.ends !== "upstream";
  const rule = {
    kind: "Rule",
    match: match ?? `Host(\`${host}\`) && Path(\`/control\`)`,
    priority: 1_000,
    middlewares: [mark, ...chain].map((name) => ({ name })),
    services: [{ name: backend.name, port: backend.port, nativeLB: true }],
  };
  const entryPoints = [entryPoint ?? (secure ? "websecure" : "web")];
  return {
    kind: "IngressRoute",
    name: "control",
    spec: { entryPoints, routes: [rule], ...(secure ? { tls: {} } : {}) },
  };
}
