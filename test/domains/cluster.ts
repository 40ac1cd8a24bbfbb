/** Temporary routes and middlewares in the cluster, with and without a defence. */
import { randomUUID } from "node:crypto";
import { CustomObjectsApi } from "@kubernetes/client-node";
import { expect, inject } from "vitest";
import { RetryingKubeConfig } from "../../infra/kubeConfig.ts";
import type { Exposure } from "../../infra/plan/types.ts";
import type { HttpResponse } from "../../ops/clients/http.ts";
import { sendRaw } from "./rawRequests.ts";

export interface TraefikObject {
  readonly kind: "IngressRoute" | "Middleware";
  readonly name: string;
  /** Default: `default`, where the stack's applications are. */
  readonly namespace?: string;
  readonly spec: Readonly<Record<string, unknown>>;
}

const api = { group: "traefik.io", version: "v1alpha1" };

function customObjects(): CustomObjectsApi {
  return RetryingKubeConfig.fromFile(inject("domains").kubeconfig).makeApiClient(CustomObjectsApi);
}

/** Creates objects, runs `work`, and deletes them. Poll for their effect: the gateway applies them with a delay. */
export async function withObjects(objects: readonly TraefikObject[], work: () => Promise<void>): Promise<void> {
  const cluster = customObjects();
  const created: Parameters<CustomObjectsApi["deleteNamespacedCustomObject"]>[0][] = [];
  try {
    for (const { kind, name, namespace = "default", spec } of objects) {
      const location = { ...api, namespace, plural: `${kind.toLowerCase()}s` };
      const body = { apiVersion: `${api.group}/${api.version}`, kind, metadata: { name, namespace }, spec };
      await cluster.createNamespacedCustomObject({ ...location, body });
      created.push({ ...location, name });
    }
    await work();
  } finally {
    for (const object of created) await cluster.deleteNamespacedCustomObject(object);
  }
}

/**
 * Returns a middleware that sets X-Control in responses to its own name. Only a route with it can have sent such a response: the gateway
 * may still serve an older route, even with changed middlewares.
 */
export function markOf(id: string): TraefikObject {
  const name = `control-${id}`;
  return { kind: "Middleware", name, spec: { headers: { customResponseHeaders: { "X-Control": name } } } };
}

/** Waits until the gateway no longer serves a deleted route with a mark, which would answer for the next test. */
export async function untilUnmarked(url: string, mark: TraefikObject): Promise<void> {
  const marked = async () => (await sendRaw(url)).headers["x-control"];
  await expect.poll(marked, { timeout: 240_000, interval: 100 }).not.toBe(mark.name);
}

/** Returns the fields of one of the stack's middlewares, e.g. those below `forwardAuth`. */
export async function middlewareFields(name: string, kind: string): Promise<Readonly<Record<string, unknown>>> {
  const location = { ...api, namespace: "default", plural: "middlewares", name };
  const { spec } = (await customObjects().getNamespacedCustomObject(location)) as {
    spec: Record<string, Record<string, unknown>>;
  };
  return spec[kind] ?? {};
}

/** A route for the attacked path. */
interface Variant {
  readonly chain: readonly string[];
  /** Traefik's rule. Default: one path of the exposure's host, `/control`. */
  readonly match?: string;
  /** What `observe` returns for the response to the attack. */
  readonly expected: unknown;
}

/** An attack that succeeds without a defence and fails with it. */
interface Control {
  readonly exposure: Exposure;
  /** Default: where the exposure's application is routed. */
  readonly entryPoint?: string;
  /** A URL that both variants match. Default: `/control` on the exposure. */
  readonly ready?: string;
  readonly attack: () => Promise<HttpResponse>;
  /** Returns the compared part of the response. */
  readonly observe: (response: HttpResponse) => unknown;
  readonly without: Variant;
  readonly with: Variant;
  /** More middlewares, for the chains. */
  readonly middlewares?: Readonly<Record<string, TraefikObject["spec"]>>;
}

/** Attacks a path of an exposure that is routed without the defence, and then with it, with a higher priority than the stack's routes. */
export async function verifyControl(control: Control): Promise<void> {
  const { exposure, attack, observe, ready = `${exposure.url}/control`, middlewares = {} } = control;
  for (const phase of ["without", "with"] as const) {
    const mark = markOf(randomUUID());
    const objects = Object.entries(middlewares).map(([name, spec]): TraefikObject => ({
      kind: "Middleware",
      name,
      spec,
    }));
    await withObjects([mark, ...objects, route(control, control[phase], mark.name)], async () => {
      const marked = async () => (await sendRaw(ready)).headers["x-control"];
      await expect.poll(marked, { timeout: 240_000, interval: 100 }).toBe(mark.name);
      expect([phase, observe(await attack())]).toEqual([phase, control[phase].expected]);
    });
    await untilUnmarked(ready, mark);
  }
}

function route({ exposure, entryPoint }: Control, { chain, match }: Variant, mark: string): TraefikObject {
  const { host, backend, tls } = exposure;
  const secure = entryPoint === undefined && tls !== undefined && tls.termination !== "upstream";
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
