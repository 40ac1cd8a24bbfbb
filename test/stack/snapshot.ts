/** The result of a deployment without values that differ each time, to compare one deployment with another. */
import { exportState } from "../../ops/engine/state/state.ts";
import type { OwnPlatform, OwnStack } from "../helpers/ownPlatform.ts";

/** Cluster IPs of any local platform (local/platform/addresses.ts). */
const CLUSTER_IP = /\b127\.(6[4-9]|[78]\d|9[0-5])\.\d+\.\d+\b/g;

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Signature key of a secret in a state (Pulumi's wire format). */
const SECRET_SIGNATURE = "4dabf18193072939515e22adb298388d";

/** Returns the inputs of every resource by URN, without secrets, and with URNs instead of object ids. */
export async function stateOf({ stack }: OwnStack): Promise<Readonly<Record<string, unknown>>> {
  const { resources = [] } = (await exportState(stack)).deployment;
  // Two resources can have the same id, e.g. a namespace and a database: the order in the state must not decide which one is shown.
  const ordered = resources.toSorted((one, other) => (one.urn < other.urn ? -1 : 1));
  const ids = new Map(ordered.flatMap(({ id, urn }) => (id === undefined ? [] : [[id, `<${urn}>`] as const])));
  const uuids = resources.flatMap(({ outputs, urn }) =>
    typeof outputs?.["uuid"] === "string" ? [[outputs["uuid"], `<uuid of ${urn}>`] as const] : [],
  );
  const names = new Map([...ids, ...uuids]);
  const normal = (value: unknown, key: string): unknown => {
    if (key === "user" && names.get(String(value))?.includes("index/user:User") !== true) return "<account>";
    if (typeof value === "string" || typeof value === "number") {
      // An expression contains ids of groups.
      if (key === "expression") return String(value).replaceAll(UUID, (id) => names.get(id) ?? id);
      return isId(value, key) ? (names.get(String(value)) ?? unnamed(value)) : value;
    }
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((one) => normal(one, key));
    if (SECRET_SIGNATURE in value) return "[secret]";
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, normal(one, name)]));
  };
  return Object.fromEntries(
    resources.map(({ urn, inputs, parent, delete: isPendingDelete }) => [
      urn,
      { inputs: normal(inputs, ""), parent, isPendingDelete },
    ]),
  );
}

/**
 * Replaces values that each new outpost changes: the address of its Service, and the autonamed Secret of its environment.
 * (Its account at authentik differs too, but is not a resource.)
 */
function unnamed(value: string | number): string | number {
  if (typeof value === "number") return value;
  return value.replaceAll(CLUSTER_IP, "<cluster IP>").replace(/(-environment)-[0-9a-f]{8}$/, "$1-<suffix>");
}

/** Replaces the cluster IPs in an object of the cluster. */
function withoutAddresses(spec: unknown): unknown {
  return JSON.parse(JSON.stringify(spec).replaceAll(CLUSTER_IP, "<cluster IP>"));
}

/** Returns whether a value is an id. A number is one only in such fields, since authentik's ids are small numbers. */
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

/** Returns the routes and middlewares of the cluster, and the identity provider's objects. */
export async function liveObjects({ objects, administrator }: OwnPlatform): Promise<Readonly<Record<string, unknown>>> {
  const routing = async (plural: string) => {
    const { items } = (await objects.listClusterCustomObject({ group: "traefik.io", version: "v1alpha1", plural })) as {
      items: Routing[];
    };
    return Object.fromEntries(
      items.map(({ metadata, spec }) => [`${metadata.namespace}/${metadata.name}`, withoutAddresses(spec)]),
    );
  };
  const list = <T>(path: string): Promise<T[]> => administrator.all(path, { superuser_full_list: "true" });
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
    outposts: Object.fromEntries(outposts.map(({ name, providers: served }) => [name, served.map(nameOf).sort()])),
  };
}
