/**
 * Advisory replay: ambiguous request targets, hosts and methods. The responses 400, 404 to CONNECT, 501 and 505 are those of Traefik's parser,
 * and `..` is resolved by its entry points (`sanitizePath`, a prerequisite), which no object in the cluster can weaken. Encoded characters pass the entry
 * points, as in k3s and in the Helm chart. Decisions of routes have a control in controlsRoutes.test.ts.
 */
import { describe, expect, test } from "vitest";
import { receivedHeaders } from "../../ops/checks/verify/echo.ts";
import { passwordLine } from "./credentials.ts";
import { type Line, outcome, sendRaw, statuses, transmit } from "./rawRequests.ts";
import { receivedIdentityHeaders, exposureOf } from "./fixtures.ts";

const KINDS = ["localhost", "mesh", "partner"];
const REFUSED = "400";
/** `login PATH`: redirected to the login, which returns to PATH. */
const TARGETS: Readonly<Record<string, string>> = {
  // Dot segments after a prefix (CVE-2026-48020, CVE-2026-40912): no chain has a StripPrefix, and paths are resolved before a route is chosen.
  "/open/../secret": "login /secret",
  "/open/%2e%2e/secret": "login /secret",
  "/open/%2E./secret": "login /secret",
  "/./open/.././secret": "login /secret",
  "/open//../../secret": "login /secret",
  "/open/..": "login /",
  "/open/deeper/../../secret": "login /secret",
  "/outpost.goauthentik.io/../secret": "login /secret",
  "/outpost.goauthentik.io/%2e%2e/secret": "login /secret",
  "/open/../outpost.goauthentik.io/../secret": "login /secret",
  "/outpost.goauthentik.iox/secret": "login /outpost.goauthentik.iox/secret",
  // Path parameters, which Tomcat and Jetty cut before they resolve dots.
  "/open/..;/secret": "login /open/..;/secret",
  "/open/..;x=1/secret": "login /open/..;x=1/secret",
  "/open/deeper/..;/..;/secret": "login /open/deeper/..;/..;/secret",
  "/open/%2e%2e;/secret": "login /open/..;/secret",
  "/open/;/..;/secret": "login /open/;/..;/secret",
  "/open;/secret": "login /open;/secret",
  "/open;/../secret": "login /secret",
  // Characters that only some programs treat as a separator.
  "/open%2f..%2fsecret": "login /open%2F..%2Fsecret",
  "/open/..%2fsecret": "login /open/..%2Fsecret",
  "/open/%2e%2e%2Fsecret": "login /open/..%2Fsecret",
  "/open%5c..%5csecret": "login /open%5C..%5Csecret",
  "/open/..%5csecret": "login /open/..%5Csecret",
  "/open\\..\\secret": "login /open%5C..%5Csecret",
  "/open/%252e%252e/secret": "login /open/%252e%252e/secret",
  "/open/..%3b/secret": "login /open/..%3B/secret",
  "/secret%3f/open": "login /secret%3F/open",
  "/open/..%3f/secret": "login /open/..%3F/secret",
  "/secret%23/open": "login /secret%23/open",
  "/open/..%23/secret": "login /open/..%23/secret",
  "/secret#/open": REFUSED,
  "/open%00/../secret": "login /secret",
  "/open/..%00/secret": "login /open/..%00/secret",
  "/open/%0asecret": "login /open/%0Asecret",
  "/outpost.goauthentik.io%2f..%2fsecret": "login /outpost.goauthentik.io%2F..%2Fsecret",
  open: REFUSED,
  // Paths similar to a public one.
  "//secret//open": "login /secret/open",
  "/OPEN": "login /OPEN",
  "/opener": "login /opener",
  "/secret?/open": "login /secret?/open",
  "/secret?path=/open": "login /secret?path=/open",
  "/%2fopen": "login /%2Fopen",
  "/open/...//secret": "login /open/.../secret",
  "/open/..%ef%bc%8fsecret": "login /open/..%EF%BC%8Fsecret",
  "/open/..%c0%afsecret": "login /open/..%C0%AFsecret",
  "/open/%c0%ae%c0%ae/secret": "login /open/%C0%AE%C0%AE/secret",
  // Public paths in an unusual form: the application gets a path below the public one.
  "//open": "200 shows /open",
  "/%6fpen": "200 shows /open",
  "/open/%ef%bc%8e%ef%bc%8e/secret": "200 shows /open/%EF%BC%8E%EF%BC%8E/secret",
};

describe.each(KINDS)("a request target on %s", (kind) => {
  const hosts = ["forward", "gated"].map((service) => (): string => exposureOf(service, kind).url);

  test.each(Object.entries(TARGETS))("gets the access of its resolved path: %s -> %s", async (target, expected) => {
    for (const url of hosts.map((host) => host())) {
      const wanted = expected.startsWith("login ") ? `login for ${url}${expected.slice("login ".length)}` : expected;
      expect(outcome(await sendRaw(url, { target }))).toBe(wanted);
    }
    // basicAuth answers 401 where forward auth redirects to the login.
    const wanted = expected.startsWith("login ") ? "401" : expected;
    expect(outcome(await sendRaw(exposureOf("legacy", kind).url, { target }))).toBe(wanted);
  });

  test("is routed by its host in absolute form, not by the Host header", async () => {
    const { url } = exposureOf("forward", kind);
    const { host } = new URL(url);
    const other = new URL(exposureOf("whoami-public", "localhost").url).host;
    const absolute = { target: `http://${host}/open/../secret`, host: other };
    expect(outcome(await sendRaw(url, absolute))).toContain("login for ");
    expect(outcome(await sendRaw(url, { target: `http://unknown.test/open` }))).toBe("404");
    // Traefik appends it to the host: behind a port, this is no URL.
    expect((await sendRaw(url, { target: "*" })).status).toBe(new URL(url).port === "" ? 302 : 502);
  });
});

describe.each(KINDS)("a public path on %s", (kind) => {
  // CVE-2025-54576, CVE-2026-34457, CVE-2026-40575, CVE-2026-76835 (oauth2-proxy).
  const decoys: [string, string, Line[]][] = [
    ["a query", "/secret?x=/open&path=/open", []],
    ["a user agent", "/secret", [["User-Agent", "kube-probe/1.36"]]],
    ["a forwarded path", "/secret", [["X-Forwarded-Uri", "/open"]]],
    ["a rewritten path", "/secret", [["X-Original-URL", "/open"]]],
    ["a referrer", "/secret", [["Referer", "/open"]]],
    ["an origin", "/secret", [["Origin", "null"]]],
  ];
  test.each(decoys)("does not depend on %s", async (_name, target, lines) => {
    const { url } = exposureOf("forward", kind);
    expect(outcome(await sendRaw(url, { target, lines }))).toBe(`login for ${url}${target}`);
    expect(outcome(await sendRaw(exposureOf("legacy", kind).url, { target, lines }))).toBe("401");
  });
});

describe("a host", () => {
  const url = (): string => exposureOf("forward", "localhost").url;
  const open = "whoami-public.localhost";
  const hosts: Readonly<Record<string, string>> = {
    // Traefik matches these spellings of the host; the outpost accepts one spelling only.
    "FORWARD.localhost": "400",
    "forward.localhost.": "400",
    "forward.localhost:1": "400",
    "": "400",
    [`forward.localhost, ${open}`]: "400",
    [`${open}@forward.localhost`]: "400",
    [`forward.localhost@${open}`]: "400",
    [`forward.localhost#${open}`]: "400",
    [`forward.localhost\\@${open}`]: "400",
    [`forward.localhost/${open}`]: "400",
    "forward%2elocalhost": "404",
    "xforward.localhost": "404",
    "x.forward.localhost": "404",
    "forward.localhost.evil.test": "404",
    forward: "404",
    localhost: "404",
    "127.0.0.1": "404",
    "[::1]": "404",
  };
  test.each(Object.entries(hosts))("opens no page in another form: %s -> %s", async (host, expected) => {
    expect(outcome(await sendRaw(`${url()}/x`, { host }))).toBe(expected);
  });

  test("gets 400 if the request has two Host headers", async () => {
    const own = new URL(url()).host;
    for (const [first, second] of [
      [own, open],
      [open, own],
    ] as const) {
      const response = await sendRaw(`${url()}/x`, { host: first, lines: [["Host", second]] });
      expect([first, outcome(response)]).toEqual([first, "400"]);
    }
  });

  test("requires the password also in upper case, with a dot or a port", async () => {
    const { url: legacy, host } = exposureOf("legacy", "localhost");
    for (const spelling of [host.toUpperCase(), `${host}.`, `${host}:1`]) {
      expect([spelling, outcome(await sendRaw(`${legacy}/x`, { host: spelling }))]).toEqual([spelling, "401"]);
    }
  });
});

describe("a method", () => {
  const overrides = ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Forwarded-Method"];

  test("opens no protected page with any name, or in any override header", async () => {
    const { url } = exposureOf("forward", "localhost");
    for (const method of ["TRACE", "TRACK", "PROPFIND", "PURGE", "FOO", "OPTIONS", "HEAD", "get"]) {
      expect([method, outcome(await sendRaw(`${url}/x`, { method }))]).toEqual([method, `login for ${url}/x`]);
      const basic = await sendRaw(`${exposureOf("legacy", "localhost").url}/x`, { method });
      expect([method, outcome(basic)]).toEqual([method, "401"]);
    }
    for (const header of overrides) {
      const response = await sendRaw(`${url}/x`, { method: "POST", lines: [[header, "OPTIONS"]] });
      expect([header, outcome(response)]).toEqual([header, `login for ${url}/x`]);
    }
  });

  test("is not changed by override headers at the data API", async () => {
    const { url } = exposureOf("data", "localhost");
    for (const header of overrides) {
      const response = await sendRaw(url, { method: "POST", lines: [[header, "GET"]], body: "{}" });
      expect([header, outcome(response)]).toEqual([header, "404"]);
    }
  });
});

describe("request smuggling", () => {
  const url = (): string => exposureOf("forward", "localhost").url;
  const { host } = new URL(url());
  const post = (...lines: string[]): string =>
    ["POST /open HTTP/1.1", `Host: ${host}`, ...lines].join("\r\n") + "\r\n\r\n";
  const smuggled = `GET /x HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;

  const refused: [string, string, number][] = [
    ["two lengths", `${post("Content-Length: 3", "Content-Length: 4")}abcd${smuggled}`, 400],
    ["a signed length", `${post("Content-Length: +4")}abcd${smuggled}`, 400],
    ["a blank before the colon", `${post("Transfer-Encoding : chunked")}0\r\n\r\n${smuggled}`, 400],
    ["a vertical tab before the value", `${post("Transfer-Encoding:\vchunked")}0\r\n\r\n${smuggled}`, 400],
    ["an unknown encoding", `${post("Transfer-Encoding: xchunked")}0\r\n\r\n${smuggled}`, 501],
    ["two encodings", `${post("Transfer-Encoding: chunked", "Transfer-Encoding: identity")}0\r\n\r\n${smuggled}`, 501],
    ["a folded Host", `GET /x HTTP/1.1\r\nHost: ${host}\r\n folded: x\r\n\r\n`, 400],
    ["a lone carriage return in a header", post("X: a\rX-idp-username: mallory"), 400],
    ["a null in a header's name", post("X-idp-username\0: mallory"), 400],
    ["a blank in a target", `GET /x /open HTTP/1.1\r\nHost: ${host}\r\n\r\n`, 400],
    ["no Host", "GET /x HTTP/1.1\r\n\r\n", 400],
    ["no Host in HTTP/1.0", `GET /x HTTP/1.0\r\nX-Forwarded-Host: ${host}\r\n\r\n`, 404],
    ["an unknown version", `GET /x HTTP/9.9\r\nHost: ${host}\r\n\r\n`, 505],
    ["a tunnel", `CONNECT forward.localhost:80 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`, 404],
    ["a tunnel to a path", `CONNECT /open HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`, 404],
    ["HTTP/1.0", `GET /x HTTP/1.0\r\nHost: ${host}\r\n\r\n`, 302],
    ["HTTP/1.0 in absolute form", `GET http://${host}/x HTTP/1.0\r\n\r\n`, 302],
  ];
  test.each(refused)("returns one response, and no protected page, for %s", async (_name, bytes, status) => {
    const text = await transmit(url(), bytes);
    expect(statuses(text)).toEqual([status]);
    expect(text).not.toContain("Hostname:");
  });

  test.each([
    ["length and chunks", `${post("Content-Length: 6", "Transfer-Encoding: chunked")}0\r\n\r\n${smuggled}`],
    ["a body with a request in it", `${post(`Content-Length: ${smuggled.length}`)}${smuggled}${smuggled}`],
  ])("routes a smuggled request as a separate request, or rejects it: %s", async (_name, bytes) => {
    const text = await transmit(url(), bytes);
    expect(statuses(text)).toEqual([200, 302]);
    expect(text.match(/^[A-Z]+ \S+ HTTP\/1\.1$/gm)).toEqual(["POST /open HTTP/1.1"]);
  });

  test("ends a header at a lone line feed, and removes the next header like any other", async () => {
    const text = await transmit(url(), post("X: a\nX-idp-username: mallory", "Connection: close"));
    expect([statuses(text), receivedIdentityHeaders(text), receivedHeaders(text).get("x")]).toEqual([[200], [], ["a"]]);
  });

  test("opens no protected page for an upgrade to HTTP/2 without TLS", async () => {
    const { url: legacy } = exposureOf("legacy", "localhost");
    const lines: Line[] = [
      ["Connection", "Upgrade, HTTP2-Settings"],
      ["Upgrade", "h2c"],
      ["HTTP2-Settings", "AAMAAABk"],
    ];
    for (const target of [`${url()}/x`, `${url()}/open`, `${legacy}/x`])
      expect(outcome(await sendRaw(target, { lines: [...lines, passwordLine()] }))).toBe("404");
    // Without the setting that most servers need.
    expect(outcome(await sendRaw(`${url()}/open`, { lines: lines.slice(0, 2) }))).toBe("404");
  });
});
