import { embeddedOutpost } from "../../../local/authentik/bootstrap.ts";
import type { Provider } from "../../../local/authentik/objects.ts";
import { proxyOutposts } from "../../../local/authentik/outpost.ts";
import { Store } from "../../../local/authentik/store.ts";

/** What every provider here has, unless it says otherwise. */
export const blank = {
  ...{ model: "proxy", skip_path_regex: "", cookie_secret: "c".repeat(32), client_secret: "s".repeat(32) },
  ...{ access_token_validity: "minutes=10", property_mappings: [] },
};

/** An outpost with these providers; each has an application unless it says `alone`. */
export const outpost = (...providers: Given[]) => outpostIn(new Store(), ...providers);

type Given = Partial<Provider> & { external_host: string; alone?: boolean };
export const other = { external_host: "http://b.localhost" };

export function outpostIn(store: Store, ...providers: Given[]) {
  const served = providers.map(({ alone, ...fields }, index) => {
    const pk = index + 1;
    const provider = { ...blank, pk, name: `p${pk}`, client_id: `client${pk}`, ...fields } as Provider;
    store.put("provider", provider);
    const application = { pk: `a${pk}`, name: `app${pk}`, slug: `app${pk}`, provider: pk, policy_engine_mode: "any" };
    if (!alone) store.put("application", application);
    return pk;
  });
  const config = { authentik_host: "http://authentik.localhost" };
  store.put("outpost", { pk: "o", name: "embedded", providers: served, config, managed: embeddedOutpost });
  const app = proxyOutposts(store, () => "http://self.invalid");
  return async (path: string, headers: Record<string, string>) => {
    const answer = await app.request(path, { headers });
    const location = answer.headers.get("location");
    const query = location ? new URL(location).searchParams : new URLSearchParams();
    return { status: answer.status, client: query.get("client_id"), state: query.get("state"), answer };
  };
}

export const traefik = (host: string, uri = "/") => ({
  "x-forwarded-proto": "http",
  "x-forwarded-host": host,
  "x-forwarded-uri": uri,
});
