import { unescape } from "node:querystring";

/** Path of an outpost's own pages on every host that it protects. */
export const OUTPOST_PATH = "/outpost.goauthentik.io";

/** An address as Go reads it: the path is decoded, and dots in it stay. */
export type Address = { text: string; path: string; query: URLSearchParams };

/** Reads an address. Undefined = Go refuses it. */
export function readAddress(text: string): Address | undefined {
  const [, path = "", query] = /^(?:[a-z][a-z\d+.-]*:)?(?:\/\/[^/?#]*)?([^?#]*)\??([^#]*)/i.exec(text) ?? [];
  if (text === "" || /%(?![\da-f]{2})/i.test(path)) return undefined;
  // Go also decodes bytes that are not UTF-8 (measured with net/url of Go 1.26: /..%c0%af).
  return { text, path: unescape(path), query: new URLSearchParams(query) };
}

/** The address in the headers of Traefik. Go refuses an address without a scheme, and accepts one without a host. */
export function forwardedAddress(header: (name: string) => string | undefined): Address | undefined {
  const [proto = "", host = "", uri = ""] = ["proto", "host", "uri"].map((name) => header(`x-forwarded-${name}`));
  return /^[a-z][a-z\d+.-]*$/i.test(proto) ? readAddress(`${proto}://${host}${uri}`) : undefined;
}

/** The address in the headers of nginx. Go reads the whole of X-Original-URI as a path, query included. */
export function originalAddress(header: (name: string) => string | undefined): Address | undefined {
  const uri = header("x-original-uri");
  if (uri) return { text: uri, path: uri, query: new URLSearchParams() };
  return readAddress(header("x-original-url") ?? "");
}

/** Whether Go reads an address as opaque, e.g. `javascript:x`. The outpost replaces its scheme, and accepts it (measured). */
export function isOpaque(text: string): boolean {
  return /^[a-z][a-z\d+.-]*:[^/]/i.test(text);
}

/** Returns an address with a path instead of its trailing slashes. */
export function joined(address: string, path: string): string {
  return address.replace(/\/+$/, "") + path;
}
