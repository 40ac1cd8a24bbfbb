/** Changes of a running platform outside of its stack, each undone afterwards. */
import { vi } from "vitest";
import { config, own, stack } from "./platform.ts";

const TRAEFIK = { group: "traefik.io", version: "v1alpha1" };

type Custom = Record<string, unknown> & { metadata: object; spec: Record<string, unknown> };

/** Changes an object of Traefik, or deletes it, runs, and restores it; a route by the hint of `diagnose`. */
export async function withObject(
  plural: string,
  [namespace, name]: readonly [string, string],
  change: (spec: never) => unknown,
  work: () => Promise<void>,
): Promise<void> {
  const place = { ...TRAEFIK, namespace, plural, name };
  const before = (await own.objects.getNamespacedCustomObject(place)) as Custom;
  const spec = change(structuredClone(before.spec) as never);
  const remove = (): Promise<unknown> => own.objects.deleteNamespacedCustomObject(place);
  if (spec === undefined) await remove();
  else await own.objects.replaceNamespacedCustomObject({ ...place, body: { ...before, spec } });
  try {
    await work();
  } finally {
    if (plural === "middlewares") {
      const now = (await own.objects.getNamespacedCustomObject(place)) as Custom;
      await own.objects.replaceNamespacedCustomObject({ ...place, body: { ...now, spec: before.spec } });
    } else {
      if (spec !== undefined) await remove();
      await stack.stack.refresh();
      await stack.up(config());
    }
  }
}

/** Changes a record of the identity provider, runs, and restores it. */
export async function withRecord(path: string, change: object, undo: object, work: () => Promise<void>): Promise<void> {
  await own.administrator.call("PATCH", path, change);
  try {
    await work();
  } finally {
    await own.administrator.call("PATCH", path, undo);
  }
}

/** Gives the provider of an application another external host, runs, and restores it. authentik requires `mode` with it. */
export async function withExternalHost(
  slug: string,
  wrong: string,
  right: string,
  work: () => Promise<void>,
): Promise<void> {
  const record = (external_host: string): object => ({ mode: "forward_single", external_host });
  await withRecord(`/providers/proxy/${await providerOf(slug)}/`, record(wrong), record(right), work);
}

/** Returns the number of an application's provider. */
export async function providerOf(slug: string): Promise<number> {
  const { provider } = await own.administrator.call<{ provider: number }>("GET", `/core/applications/${slug}/`);
  return provider;
}

interface Outpost {
  readonly name: string;
  readonly pk: string;
  readonly providers: readonly number[];
  readonly config: object;
}

/** The outpost that serves an application. */
export async function outpostOf(slug: string): Promise<Outpost> {
  const id = await providerOf(slug);
  const outposts = await own.administrator.all<Outpost>("/outposts/instances/");
  const found = outposts.find(({ providers }) => providers.includes(id));
  if (!found) throw new Error(`no outpost serves "${slug}"`);
  return found;
}

/** Routes a host to the echo service without authentication, runs, and deletes the route. */
export async function withOpenRoute(name: string, host: string, work: () => Promise<void>): Promise<void> {
  const place = { ...TRAEFIK, namespace: "default", plural: "ingressroutes" };
  const services = [{ name: "whoami", port: 8080, nativeLB: true }];
  const routes = [{ kind: "Rule", match: `Host(\`${host}\`)`, priority: 1, services }];
  const body = { apiVersion: "traefik.io/v1alpha1", kind: "IngressRoute", metadata: { name }, spec: { routes } };
  await own.objects.createNamespacedCustomObject({ ...place, body });
  try {
    await work();
  } finally {
    await own.objects.deleteNamespacedCustomObject({ ...place, name });
  }
}

export async function scale(namespace: string, name: string, replicas: number): Promise<void> {
  await vi.waitFor(async () => {
    const { spec, ...scaled } = await own.apps.readNamespacedDeploymentScale({ namespace, name });
    await own.apps.replaceNamespacedDeploymentScale({
      namespace,
      name,
      body: { ...scaled, spec: { ...spec, replicas } },
    });
  }, 240_000);
}
