/** Advisory replay: forged headers about a request's origin and proxies (controls.test.ts shows that the attacks work without the defence). */
import { describe, expect, test } from "vitest";
import { spellings } from "../../infra/identity/headers.ts";
import { receivedHeaders } from "../../ops/checks/verify/echo.ts";
import { passwordLine, sessionAt } from "./credentials.ts";
import { type Line, outcome, sendRaw } from "./rawRequests.ts";
import { exposureOf } from "./fixtures.ts";

const KINDS = ["localhost", "mesh", "external", "partner"];
/** Another host, a public path, and other values that would change a decision based on them. */
const CLAIMED = {
  Host: "gated.localhost",
  Proto: "https",
  Port: "4443",
  Prefix: "/open",
  Uri: "/open",
  Method: "OPTIONS",
  For: "127.0.0.1, no-address, 10.0.0.1",
  Server: "evil",
};
const claims = Object.entries(CLAIMED).map(([part, value]): Line => [`X-Forwarded-${part}`, value]);
const spelled = (separator: RegExp): Line[] =>
  claims.flatMap(([name, value]) =>
    spellings(name)
      .filter((spelling) => separator.test(spelling))
      .map((spelling): Line => [spelling, value]),
  );

const PAYLOADS: [string, Line[]][] = [
  ["X-Forwarded-* (CVE-2024-47070, CVE-2026-35051)", claims],
  ["X-Forwarded-* twice", [...claims, ...claims]],
  ["X-Forwarded-* in lower case", claims.map(([name, value]) => [name.toLowerCase(), value])],
  ["an unknown protocol (CVE-2026-54764)", [["X-Forwarded-Proto", "javascript"]]],
  ["underscores (CVE-2026-33433, CVE-2026-39858, CVE-2026-54763)", spelled(/^[^.]*_[^.]*$/)],
  ["dots (CVE-2026-88011, CVE-2026-88879)", spelled(/\./)],
  ["RFC 7239 (traefik #12657)", [["Forwarded", "for=127.0.0.1;host=gated.localhost;proto=https"]]],
  ["X-Real-Ip", spellings("X-Real-Ip").map((name) => [name, "10.0.0.1"])],
  [
    "rewritten paths (CVE-2018-14773)",
    ["X-Original-URI", "X-Original-URL", "X-Rewrite-URL"].flatMap(spellings).map((name) => [name, "/open"]),
  ],
  [
    "the part of the path before that of the application (gunicorn #2650)",
    ["SCRIPT_NAME", "Path_Info", ...spellings("X-Script-Name")].map((name) => [name, "/open"]),
  ],
  ["removal through Connection (CVE-2024-45410)", [["Connection", claims.map(([name]) => name).join(", ")]]],
  ["removal through connection in lower case", [["connection", claims.map(([name]) => name.toLowerCase()).join(",")]]],
];

/** Returns the received headers that an application may use as the request's origin. */
function forwardedHeaders(body: string): [string, readonly string[]][] {
  const names = /^(forwarded|script_name|path_info|x[-_.](forwarded|real|original|rewrite|script)[-_.].*)$/;
  return [...receivedHeaders(body)].filter(([name]) => names.test(name)).sort();
}

describe.each(PAYLOADS)("%s", (_name, lines) => {
  test.each(KINDS)("opens no protected page on %s, and the login returns to the requested one", async (kind) => {
    const { url } = exposureOf("forward", kind);
    expect(outcome(await sendRaw(`${url}/x`, { lines }))).toBe(`login for ${url}/x`);
    const background: Line = ["X-Requested-With", "XMLHttpRequest"];
    expect(outcome(await sendRaw(`${url}/x`, { lines: [...lines, background] }))).toBe("401");
    expect(outcome(await sendRaw(`${exposureOf("legacy", kind).url}/x`, { lines }))).toBe("401");
  });

  test("opens no protected page with another host's session", async () => {
    const { url } = exposureOf("forward", "localhost");
    const cookie = await sessionAt(exposureOf("gated", "localhost").url);
    expect(outcome(await sendRaw(`${url}/x`, { lines: [...lines, cookie] }))).toBe(`login for ${url}/x`);
  });

  test.each(KINDS)("does not reach the application behind a public path or basic auth on %s", async (kind) => {
    const pages: [string, Line[]][] = [
      [`${exposureOf("forward", kind).url}/open`, []],
      [`${exposureOf("legacy", kind).url}/x`, [passwordLine()]],
    ];
    for (const [page, own] of pages) {
      const [plain, claimed] = [
        await sendRaw(page, { lines: own }),
        await sendRaw(page, { lines: [...own, ...lines] }),
      ];
      expect([plain.status, claimed.status]).toEqual([200, 200]);
      expect(forwardedHeaders(claimed.body)).toEqual(forwardedHeaders(plain.body));
    }
  });

  test("does not reach the public test host or a protected application", async () => {
    const cookie = await sessionAt(exposureOf("forward", "localhost").url);
    for (const page of [exposureOf("whoami-public", "localhost").url, exposureOf("forward", "localhost").url]) {
      const plain = await sendRaw(`${page}/x`, { lines: [cookie] });
      const claimed = await sendRaw(`${page}/x`, { lines: [cookie, ...lines] });
      expect([plain.status, outcome(claimed)]).toEqual([200, "200 shows /x"]);
      expect(forwardedHeaders(claimed.body)).toEqual(forwardedHeaders(plain.body));
    }
  });

  test.each(KINDS)("does not change the URLs of the identity provider and the outpost on %s", async (kind) => {
    const page = `${exposureOf("authentik", kind).url}/application/o/notes/.well-known/openid-configuration`;
    const [plain, claimed] = [await sendRaw(page), await sendRaw(page, { lines })];
    expect([plain.status, claimed.status]).toEqual([200, 200]);
    expect(JSON.parse(claimed.body)).toEqual(JSON.parse(plain.body));
    const { url } = exposureOf("forward", kind);
    expect(outcome(await sendRaw(`${url}/outpost.goauthentik.io/start`, { lines }))).toBe(`login for ${url}/`);
  });
});

describe("a header that Connection lists", () => {
  const listed = ["Cookie", "Authorization", "X-idp-username", "x-idp-username", "X-Forwarded-Uri", "Host"];

  test.each(listed)("%s: opens no page without a session", async (name) => {
    const { url } = exposureOf("forward", "localhost");
    const lines: Line[] = [["Connection", name]];
    expect(outcome(await sendRaw(`${url}/x`, { lines }))).toBe(`login for ${url}/x`);
    expect(outcome(await sendRaw(`${exposureOf("legacy", "localhost").url}/x`, { lines }))).toBe("401");
  });

  test.each(["X-idp-username", "x-idp-groups", "X-IDP-JWT"])("%s: is kept if the gateway sets it", async (name) => {
    const { url } = exposureOf("forward", "localhost");
    const cookie = await sessionAt(url);
    const { status, body } = await sendRaw(`${url}/x`, { lines: [cookie, ["Connection", name]] });
    expect([status, receivedHeaders(body).get(name.toLowerCase())?.length]).toEqual([200, 1]);
  });

  test("is removed if it contains credentials, so that the request is rejected", async () => {
    const [protectedPage, basicPage] = [exposureOf("forward", "localhost").url, exposureOf("legacy", "localhost").url];
    const hidden = (name: string): Line => ["Connection", name];
    const cookie = await sessionAt(protectedPage);
    const withSession = await sendRaw(`${protectedPage}/x`, { lines: [cookie, hidden("Cookie")] });
    expect(outcome(withSession)).toBe(`login for ${protectedPage}/x`);
    const withPassword = await sendRaw(`${basicPage}/x`, { lines: [passwordLine(), hidden("Authorization")] });
    expect(outcome(withPassword)).toBe("401");
  });
});

describe("the rule for background requests", () => {
  const signals: Line[] = [
    ["X-Requested-With", "XMLHttpRequest"],
    ["Sec-Fetch-Mode", "cors"],
    ["Accept", "application/json"],
    ["Upgrade", "websocket"],
    ["Authorization", "Bearer invalid"],
  ];
  const paths = ["X-Original-URI", "X-Original-URL", "X-Rewrite-URL"].flatMap(spellings);

  test.each(KINDS)("ignores paths in headers of the client on %s", async (kind) => {
    const { url } = exposureOf("forward", kind);
    for (const signal of signals) {
      for (const target of ["/outpost.goauthentik.io/x", "/open"]) {
        const lines = [signal, ...paths.map((name): Line => [name, target])];
        expect([signal[0], target, outcome(await sendRaw(`${url}/x`, { lines }))]).toEqual([signal[0], target, "401"]);
      }
    }
  });

  test("leaves the outpost's endpoints unreachable", async () => {
    const { url } = exposureOf("forward", "localhost");
    const lines: Line[] = [["X-Original-URI", "/outpost.goauthentik.io/x"]];
    for (const endpoint of ["nginx", "traefik"]) {
      const response = await sendRaw(`${url}/outpost.goauthentik.io/auth/${endpoint}`, { lines });
      expect([endpoint, response.status]).toEqual([endpoint, 404]);
    }
  });
});
