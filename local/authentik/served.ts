import type { Context } from "hono";
import { embeddedOutpost } from "./bootstrap.ts";
import type { Application, Outpost, Provider } from "./objects.ts";
import { tokenOwner } from "./people.ts";
import { serviceAccountOf } from "./resources.ts";
import type { Store } from "./store.ts";

/** Headers by which a dedicated outpost's process says whose requests it forwards, and where browsers find authentik. */
export const outpostTokenHeader = "x-stand-in-outpost-token";
export const browserHostHeader = "x-stand-in-host-browser";

/** A provider that an outpost serves, and what goes with it. */
export type Served = {
  outpost: Outpost;
  provider: Provider;
  application: Application;
  /** Of every mapping attached to the provider, space-separated. */
  scope: string;
  /** Origin of authentik as browsers see it. */
  authentikHost: string;
};

/** The outpost that a request is for: the one whose token comes along, without one the embedded one. */
export function outpostOf(store: Store, c: Context): Outpost | undefined {
  const key = c.req.header(outpostTokenHeader);
  if (key === undefined) return store.find("outpost", { managed: embeddedOutpost });
  const owner = tokenOwner(store, key, "api");
  return store.list("outpost").find((outpost) => serviceAccountOf(outpost) === owner?.username);
}

/** The provider of the request's host among those of its outpost; one without an application is not served. */
export function servedAt(store: Store, c: Context, host: string): Served | undefined {
  const outpost = outpostOf(store, c);
  const applications = new Map(store.list("application").map((application) => [application.provider, application]));
  const providers = (outpost?.providers ?? []).flatMap((id) =>
    applications.has(id) ? (store.get("provider", id) ?? []) : [],
  );
  const provider = choose(providers, host);
  const application = provider && applications.get(provider.pk);
  if (!outpost || !application) return undefined;
  const scopes = provider.property_mappings.flatMap((id) => store.get("mapping", id)?.scope_name ?? []);
  const addresses = [c.req.header(browserHostHeader), outpost.config["authentik_host"] as string | undefined];
  const origins = addresses.flatMap((address) => URL.parse(address ?? "")?.origin ?? []);
  return { outpost, provider, application, scope: scopes.join(" "), authentikHost: origins[0] ?? "http://localhost" };
}

/** The provider whose address the host is, port included; with a single provider every host is its own. */
function choose(providers: Provider[], host: string): Provider | undefined {
  const own = providers.find(({ external_host }) => URL.parse(external_host)?.host === host);
  return own ?? (providers.length === 1 ? providers[0] : undefined);
}
