import { describe, expect, test } from "vitest";
import { embeddedOutpost } from "../../../local/authentik/bootstrap.ts";
import type { Provider } from "../../../local/authentik/objects.ts";
import { embeddedProxy } from "../../../local/authentik/outpost.ts";
import { Store } from "../../../local/authentik/store.ts";

const blank = {
  ...{ model: "proxy", mode: "forward_single", cookie_domain: "", skip_path_regex: "", cookie_secret: "c".repeat(32) },
  ...{ access_token_validity: "minutes=10", property_mappings: [], basic_auth_enabled: false },
};

/** An outpost with these providers; each has an application unless it says `alone`. */
function outpost(...providers: (Partial<Provider> & { external_host: string; alone?: boolean })[]) {
  const store = new Store();
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
  const app = embeddedProxy(store, () => "http://self.invalid");
  return async (path: string, headers: Record<string, string>) => {
    const answer = await app.request(path, { headers });
    const location = answer.headers.get("location");
    const query = location ? new URL(location).searchParams : new URLSearchParams();
    return { status: answer.status, client: query.get("client_id"), state: query.get("state"), answer };
  };
}

const traefik = (host: string, uri = "/") => ({
  "x-forwarded-proto": "http",
  "x-forwarded-host": host,
  "x-forwarded-uri": uri,
});
const redirectOf = (state: string | null) =>
  (JSON.parse(Buffer.from(state?.split(".")[1] ?? "", "base64url").toString()) as { redirect: string }).redirect;

describe("which provider serves a host", () => {
  const two = outpost({ external_host: "http://a.localhost" }, { external_host: "http://b.localhost:8080" });

  test.each([
    ["a.localhost", 302, "client1"],
    ["b.localhost:8080", 302, "client2"],
    ["b.localhost", 400, null],
    ["a.localhost:80", 400, null],
    ["x.a.localhost", 400, null],
  ])("%s -> %i %s: exact, port included", async (host, status, client) => {
    expect(await two("/auth/traefik", traefik(host))).toMatchObject({ status, client });
  });

  test("a single provider gets every host, and one without an application none", async () => {
    const single = outpost({ external_host: "http://a.localhost" });
    expect(await single("/auth/traefik", traefik("other.localhost"))).toMatchObject({ status: 302, client: "client1" });
    const alone = outpost({ external_host: "http://a.localhost", alone: true });
    expect(await alone("/auth/traefik", traefik("a.localhost"))).toMatchObject({ status: 400 });
  });

  test("a domain's provider gets the hosts under it, the longest domain first", async () => {
    const domain = outpost(
      { external_host: "http://auth.test", mode: "forward_domain", cookie_domain: "test" },
      { external_host: "http://auth.x.test", mode: "forward_domain", cookie_domain: ".x.test" },
      { external_host: "http://own.x.test" },
    );
    expect(await domain("/auth/traefik", traefik("a.test"))).toMatchObject({ client: "client1" });
    expect(await domain("/auth/traefik", traefik("a.x.test"))).toMatchObject({ client: "client2" });
    expect(await domain("/auth/traefik", traefik("own.x.test"))).toMatchObject({ client: "client3" });
  });
});

test("open paths: one regular expression per line, on the path alone", async () => {
  const open = outpost({ external_host: "http://a.localhost", skip_path_regex: "^/open/\n^/health$" });
  const status = async (uri: string) => (await open("/auth/traefik", traefik("a.localhost", uri))).status;
  expect(await Promise.all(["/open/x", "/health", "/healthy", "/?x=/open/"].map(status))).toEqual([200, 200, 302, 302]);
});

test("nginx gets 401 where Traefik is redirected", async () => {
  const nginx = outpost({ external_host: "http://a.localhost", skip_path_regex: "^/open/" });
  const ask = async (url: string) =>
    (await nginx("/auth/nginx", { host: "a.localhost", "x-original-url": url })).status;
  expect(await ask("http://a.localhost/")).toBe(401);
  expect(await ask("http://a.localhost/open/")).toBe(200);
});

test("a login starts for own addresses only, and comes back to where it was asked for", async () => {
  const start = outpost({ external_host: "http://a.localhost" });
  const target = async (rd: string) =>
    redirectOf((await start(`/start?rd=${encodeURIComponent(rd)}`, { host: "a.localhost" })).state);
  expect(await target("/deep?x=1")).toBe("http://a.localhost/deep?x=1");
  expect(await target("http://a.localhost/y")).toBe("http://a.localhost/y");
  expect(await target("http://evil.test/")).toBe("http://a.localhost");
  expect(redirectOf((await start("/auth/traefik", traefik("a.localhost", "/x?y=1"))).state)).toBe(
    "http://a.localhost/x?y=1",
  );
});

test("the cookie belongs to the provider: its name, and Secure only with https", async () => {
  const cookie = async (external_host: string) => {
    const { answer } = await outpost({ external_host })("/auth/traefik", traefik(new URL(external_host).host));
    return answer.headers.getSetCookie()[0] ?? "";
  };
  expect(await cookie("http://a.test")).toMatch(
    /^authentik_proxy_1917e334=[^;]+; Max-Age=601; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  expect(await cookie("https://a.test")).toMatch(/; Secure/);
});
