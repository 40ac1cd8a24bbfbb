/** What outposts answer, as measured on a real authentik: docs/authentik.md, "Outposts and their sessions". */
import { afterAll, describe, expect, test } from "vitest";
import { application, embedded, removeFolders, standalone } from "./outposts.ts";

afterAll(removeFolders);

const redirectOf = (state: string | null) =>
  (JSON.parse(Buffer.from(state?.split(".")[1] ?? "", "base64url").toString()) as { redirect: string }).redirect;

describe("an outpost chooses the provider by the host", () => {
  const two = [application("a"), application("b", { external_host: "http://b.localhost:8080" })];
  const cases = [
    ["a.localhost", "id-a"],
    ["b.localhost:8080", "id-b"],
    ["b.localhost", null],
    ["x.a.localhost", null],
  ] as const;

  test.each(cases)("chooses the provider if standalone: %s -> %s", async (host, client) => {
    const { status, query, body } = await standalone(...two).ask(`http://${host}/`);
    expect([status, query.get("client_id")]).toEqual([client ? 302 : 400, client]);
    if (!client) expect(body).toMatch(`{\n\t"Message": "no app for hostname",\n\t"Host": "${host}",`);
  });

  test.each(cases)("chooses the provider if embedded, or passes to the core: %s -> %s", async (host, client) => {
    const { status, query, body } = await embedded(two).ask(`http://${host}/`);
    expect([status, query.get("client_id"), body]).toEqual([client ? 302 : 404, client, client ? "" : "core"]);
  });

  test("serves any host with one provider if standalone, but not if embedded", async () => {
    const one = application("a");
    expect((await standalone(one).ask("http://other.localhost/")).query.get("client_id")).toBe("id-a");
    expect((await embedded([one]).ask("http://other.localhost/")).status).toBe(404);
    expect((await standalone().ask("http://other.localhost/")).status).toBe(400);
  });

  test("serves hosts below the domain of a provider, except those with their own provider", async () => {
    const domain = application("auth", { mode: "forward_domain", cookie_domain: "localhost" });
    const { ask } = standalone(domain, application("a"));
    expect((await ask("http://x.localhost/")).query.get("client_id")).toBe("id-auth");
    expect((await ask("http://a.localhost/")).query.get("client_id")).toBe("id-a");
  });
});

test("redirects to localhost while the authentik_host of the embedded outpost is empty", async () => {
  const { location } = await embedded([application("a")], "").ask("http://a.localhost/");
  expect(location).toMatch(/^http:\/\/localhost\/application\/o\/authorize\/\?/);
});

describe("open paths", () => {
  const status = async (skip_path_regex: string, uri: string) => {
    const { ask } = standalone(application("a", { skip_path_regex }));
    const headers = { "x-forwarded-proto": "http", "x-forwarded-uri": uri };
    return (await ask("http://a.localhost/outpost.goauthentik.io/auth/traefik", "", headers)).status;
  };

  test.each([
    ["/open/x", 200],
    ["/health", 200],
    ["/healthy", 302],
    ["/?x=/open/", 302],
    ["/%6fpen/x", 200],
    ["/open/../secret", 200],
    ["/x/../open/", 302],
    ["/%zz", 500],
  ])("%s -> %i: matches one pattern per line with the decoded path, dots included", async (uri, expected) => {
    expect(await status("^/open/\n^/health$", uri)).toBe(expected);
  });

  test("opens every path with an empty line", async () => {
    expect(await status("^/open/\n\n^/health$", "/secret")).toBe(200);
  });
});

describe("the endpoint for nginx", () => {
  const { ask: request } = standalone(application("a", { skip_path_regex: "^/open/" }), application("b"));
  const ask = async (headers: Record<string, string>) => {
    const { status, body } = await request("http://a.localhost/outpost.goauthentik.io/auth/nginx", "", headers);
    return [status, body];
  };
  const refused = [401, "unauthorized request\n"];

  test.each([
    ["nothing", {}, [500, "configuration error\n"]],
    ["an address that Go cannot parse", { "x-original-url": "http://a.localhost/%zz" }, [500, "configuration error\n"]],
    ["an address", { "x-original-url": "http://a.localhost/" }, refused],
    ["an address that is not UTF-8", { "x-original-url": "http://a.localhost/open/%c0%af" }, [200, ""]],
    ["an open address", { "x-original-url": "http://a.localhost/open/x?y=1" }, [200, ""]],
    ["a path", { "x-original-uri": "/" }, refused],
    ["an open path", { "x-original-uri": "/open/x" }, [200, ""]],
    ["both: the path counts", { "x-original-uri": "/", "x-original-url": "http://a.localhost/open/" }, refused],
    ["an open path in the query", { "x-original-uri": "/?x=/open/" }, refused],
    // A client that can set this header is always allowed.
    ["the outpost's own path", { "x-original-uri": "/outpost.goauthentik.io/x" }, [200, ""]],
    ["the outpost's own address", { "x-original-url": "http://a.localhost/outpost.goauthentik.io" }, [200, ""]],
    ["the outpost's path elsewhere", { "x-original-uri": "/x/outpost.goauthentik.io/" }, refused],
  ])("decides by X-Original-URI, else by X-Original-URL: %s", async (_, headers, expected) => {
    expect(await ask(headers)).toEqual(expected);
  });
});

describe("a login", () => {
  const { ask } = standalone(application("a"));
  const start = async (rd: string) =>
    redirectOf(
      (await ask(`http://a.localhost/outpost.goauthentik.io/start?rd=${encodeURIComponent(rd)}`)).query.get("state"),
    );

  test("returns to the address first requested", async () => {
    expect(redirectOf((await ask("http://a.localhost/x?y=1")).query.get("state"))).toBe("http://a.localhost/x?y=1");
  });

  test.each([
    ["/deep?x=1", "http://a.localhost/deep?x=1"],
    ["http://a.localhost/y", "http://a.localhost/y"],
    ["http://evil.test/", ""],
  ])("returns to the address in rd on the same host only: %s -> %s", async (rd, expected) => {
    expect(await start(rd)).toBe(expected);
  });
});

test("names the cookie by a digest of the client id, and sets Secure with https only", async () => {
  const cookie = async (external_host: string) => {
    const { ask } = standalone(application("a", { external_host, client_id: "client1" }));
    return (await ask(external_host)).cookies[0] ?? "";
  };
  expect(await cookie("http://a.test")).toMatch(
    /^authentik_proxy_1917e334=[^;]+; Path=\/; Expires=[^;]+; Max-Age=601; HttpOnly; SameSite=Lax$/,
  );
  expect(await cookie("https://a.test")).toMatch(/; HttpOnly; Secure; SameSite=Lax$/);
});
