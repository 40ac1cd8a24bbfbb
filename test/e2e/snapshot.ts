/** What a deployment came to, without what is different each time: to compare one with another. */
import { exportState } from "../../ops/state.ts";
import type { OwnPlatform, OwnStack } from "./ownPlatform.ts";

/** Mark of a secret in a state (Pulumi's wire format). */
const MARK = "4dabf18193072939515e22adb298388d";

/** The inputs of every resource, by URN: secrets left out, and ids of objects told by the object's URN. */
export async function stateOf({ stack }: OwnStack): Promise<Readonly<Record<string, unknown>>> {
  const { resources = [] } = (await exportState(stack)).deployment;
  const ids = new Map(resources.flatMap(({ id, urn }) => (id === undefined ? [] : [[id, `<${urn}>`] as const])));
  const uuids = resources.flatMap(({ outputs, urn }) =>
    typeof outputs?.["uuid"] === "string" ? [[outputs["uuid"], `<uuid of ${urn}>`] as const] : [],
  );
  const names = new Map([...ids, ...uuids]);
  const normal = (value: unknown, key: string): unknown => {
    if (typeof value === "string" || typeof value === "number") {
      return isId(value, key) ? (names.get(String(value)) ?? value) : value;
    }
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((one) => normal(one, key));
    if (MARK in value) return "[secret]";
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, normal(one, name)]));
  };
  return Object.fromEntries(
    resources.map(({ urn, inputs, parent, delete: condemned }) => [
      urn,
      { inputs: normal(inputs, ""), parent, condemned },
    ]),
  );
}

/** A number is an id only where one is meant: authentik counts from 1, as much else does. */
function isId(value: string | number, key: string): boolean {
  return !/^\d+$/.test(String(value)) || /provider|user|target|group|mapping|outpost/i.test(key);
}

interface Routing {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: unknown;
}
interface Application {
  readonly slug: string;
  readonly provider: number | null;
}
interface Provider {
  readonly pk: number;
  readonly name: string;
  readonly external_host?: string;
}

/** Routes and middlewares of the cluster, and what the identity provider has and serves. */
export async function liveObjects({ objects, administrator }: OwnPlatform): Promise<Readonly<Record<string, unknown>>> {
  const routing = async (plural: string) => {
    const { items } = (await objects.listClusterCustomObject({ group: "traefik.io", version: "v1alpha1", plural })) as {
      items: Routing[];
    };
    return Object.fromEntries(items.map(({ metadata, spec }) => [`${metadata.namespace}/${metadata.name}`, spec]));
  };
  const list = async <T>(path: string): Promise<T[]> =>
    (await administrator.call<{ results: T[] }>("GET", `${path}?page_size=100&superuser_full_list=true`)).results;
  const proxies = await list<Provider>("/providers/proxy/");
  const providers = [...proxies, ...(await list<Provider>("/providers/oauth2/"))];
  const nameOf = (pk: number | null): string | undefined => providers.find((provider) => provider.pk === pk)?.name;
  const applications = await list<Application>("/core/applications/");
  const outposts = await list<{ name: string; providers: number[] }>("/outposts/instances/");
  return {
    routes: await routing("ingressroutes"),
    middlewares: await routing("middlewares"),
    providers: proxies.map(({ name, external_host }) => `${name} ${external_host ?? ""}`).sort(),
    applications: applications.map(({ slug, provider }) => `${slug} ${nameOf(provider) ?? ""}`).sort(),
    outposts: outposts.map(({ name, providers: served }) => [name, served.map(nameOf).sort()]),
  };
}
