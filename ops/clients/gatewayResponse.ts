import type { Answer } from "./http.ts";

/** Traefik's own answers if it has no route, or a route without a backend; each text is written with Go's `http.Error`. */
const GATEWAY_RESPONSES: ReadonlyMap<number, string> = new Map([
  // A host without a route, and a route that Traefik drops: its Service or middleware does not exist, or has no endpoint.
  [404, "404 page not found\n"],
  // A Service without an endpoint, with the option allowEmptyServices.
  [503, "no available server\n"],
]);
const NAMES = ["content-length", "content-type", "date", "x-content-type-options"];

/**
 * Returns whether an answer is Traefik's own, and not an application's.
 *
 * An application in Go may write the same status, text and headers. The order of the headers differs: Go's net/http writes the headers of the
 * handler in alphabetical order, then the `Date` header if the handler has not set it (net/http/server.go, `cw.writeHeader`). In Traefik's own
 * answer `Date` is therefore after `X-Content-Type-Options`, and in the answer of an application, which Traefik copies, before it. A proxy
 * before Traefik may change headers; such an answer is not recognized.
 */
export function isGatewayResponse({ status, headers, body }: Pick<Answer, "status" | "headers" | "body">): boolean {
  const names = Object.keys(headers);
  return (
    GATEWAY_RESPONSES.get(status) === body &&
    names.toSorted().join() === NAMES.join() &&
    names.indexOf("x-content-type-options") < names.indexOf("date")
  );
}

/** Returns whether an answer is that of an outpost that has no provider for the host, or has not loaded it yet. */
export function isOutpostWithoutProvider({ status, body }: Pick<Answer, "status" | "body">): boolean {
  return status === 400 && /"message":\s*"no app for hostname"/i.test(body);
}
