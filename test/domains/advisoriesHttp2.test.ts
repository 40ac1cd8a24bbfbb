/** Advisory replay over HTTP/2, whose pseudo-headers contain the host and the path. Traefik's parser rejects the malformed requests. */
import { once } from "node:events";
import { connect, type OutgoingHttpHeaders } from "node:http2";
import { describe, expect, inject, test } from "vitest";
import { passwordLine, sessionAt } from "./credentials.ts";
import { outcome } from "./rawRequests.ts";
import { exposureOf } from "./fixtures.ts";

const forward = () => exposureOf("forward", "mesh");
const legacy = () => exposureOf("legacy", "mesh");
const REFUSED = "stream error";

/** Sends a request to the gateway over TLS for the host of `forward`. @returns its outcome as for HTTP/1 */
async function sendHttp2(headers: OutgoingHttpHeaders): Promise<string> {
  const { url, host } = forward();
  const session = connect(`https://127.0.0.1:${inject("domains").httpsPort}`, {
    servername: host,
    rejectUnauthorized: false,
  });
  try {
    const stream = session.request({ ":authority": new URL(url).host, ":path": "/x", ...headers });
    const [answer] = (await once(stream, "response")) as [Record<string, string | undefined>];
    let body = "";
    for await (const chunk of stream.setEncoding("utf8")) body += chunk as string;
    return outcome({ url, status: Number(answer[":status"]), headers: answer, body });
  } catch {
    return REFUSED;
  } finally {
    session.destroy();
  }
}

describe("over HTTP/2", () => {
  const login = (path: string): string => `login for ${forward().url}${path}`;
  const cases: [string, () => OutgoingHttpHeaders, () => string][] = [
    ["an ordinary request", () => ({}), () => login("/x")],
    ["a Host that differs from the authority", () => ({ host: new URL(legacy().url).host }), () => login("/x")],
    [
      "an authority that differs from Host",
      () => ({ ":authority": new URL(legacy().url).host, host: forward().host }),
      () => "401",
    ],
    [
      "an authority that differs from the TLS server name",
      () => ({ ":authority": new URL(legacy().url).host }),
      () => "401",
    ],
    ["a user before the host", () => ({ ":authority": `x@${forward().host}` }), () => REFUSED],
    ["a host after the host", () => ({ ":authority": `${forward().host}@evil.test` }), () => REFUSED],
    ["upper case", () => ({ ":authority": forward().host.toUpperCase() }), () => "400"],
    ["a dot", () => ({ ":authority": `${forward().host}.` }), () => "400"],
    ["another port", () => ({ ":authority": `${forward().host}:1` }), () => "400"],
    ["a host of another entry point", () => ({ ":authority": "whoami-public.localhost" }), () => "404"],
    ["dot segments", () => ({ ":path": "/open/../secret" }), () => login("/secret")],
    ["encoded dot segments", () => ({ ":path": "/open/%2e%2e/secret" }), () => login("/secret")],
    ["dot segments with parameters", () => ({ ":path": "/open/..;/secret" }), () => login("/open/..;/secret")],
    ["a path without a slash", () => ({ ":path": "open" }), () => REFUSED],
    ["a path with a request line", () => ({ ":path": "/open HTTP/1.1\r\nX-idp-username: x" }), () => REFUSED],
    ["a method with a request line", () => ({ ":method": "GET /open HTTP/1.1\r\nx" }), () => REFUSED],
    ["another scheme", () => ({ ":scheme": "http" }), () => login("/x")],
    ["an unknown scheme", () => ({ ":scheme": "javascript" }), () => REFUSED],
    [
      "forwarded headers",
      () => ({ "x-forwarded-host": "x", "x-forwarded-uri": "/open", forwarded: "host=x" }),
      () => login("/x"),
    ],
    [
      "a background request",
      () => ({ "sec-fetch-mode": "cors", "x-original-uri": "/outpost.goauthentik.io/x" }),
      () => "401",
    ],
  ];
  test.each(cases)("opens no protected page: %s", async (_name, headers, expected) => {
    expect(await sendHttp2(headers())).toBe(expected());
  });

  test.each(["forward", "gated", "notes", "legacy"])("has no route for a tunnel to %s", async (name) => {
    const { host } = exposureOf(name, "mesh");
    expect(await sendHttp2({ ":method": "CONNECT", ":authority": host, ":path": undefined })).toBe("404");
  });

  test("accepts a session and a password for their own service only", async () => {
    const [, cookie] = await sessionAt(forward().url);
    expect(await sendHttp2({ cookie })).toBe("200 shows /x");
    // HTTP/2 may split a cookie header (RFC 9113, 8.2.3).
    expect(await sendHttp2({ cookie: ["a=b", cookie, "c=d"] })).toBe("200 shows /x");
    expect(await sendHttp2({ ":authority": new URL(legacy().url).host, cookie })).toBe("401");
    expect(await sendHttp2({ ":authority": new URL(legacy().url).host, authorization: passwordLine()[1] })).toBe(
      "200 shows /x",
    );
  });
});
