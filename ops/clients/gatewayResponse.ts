import type { HttpResponse } from "./http.ts";

/** Traefik's own responses if it has no route, or a route without a backend; each text is written with Go's `http.Error`. */
const GATEWAY_RESPONSES: ReadonlyMap<number, string> = new Map([
  // A host without a route, and a route that Traefik drops: its Service or middleware does not exist, or has no endpoint.
  [404, "404 page not found\n"],
  // A Service without an endpoint, with the option allowEmptyServices.
  [503, "no available server\n"],
]);
const NAMES = ["content-length", "content-type", "date", "x-content-type-options"];

type Response = Pick<HttpResponse, "status" | "headers" | "body">;

/**
 * Returns who wrote a response: `gateway` is Traefik, `either` means that a proxy before Traefik changed the headers, which decide.
 *
 * An application in Go may write the same status, text and headers. The order of the headers differs: Go's net/http writes the headers of the
 * handler in alphabetical order, then the `Date` header if the handler has not set it (net/http/server.go, `cw.writeHeader`). In Traefik's own
 * response, `Date` is therefore after `X-Content-Type-Options`, and in the response of an application, which Traefik copies, before it.
 */
function writerOf({ status, headers, body }: Response): "gateway" | "application" | "either" {
  if (GATEWAY_RESPONSES.get(status) !== body) return "application";
  const names = Object.keys(headers);
  if (names.toSorted().join() !== NAMES.join()) return "either";
  return names.indexOf("x-content-type-options") < names.indexOf("date") ? "gateway" : "application";
}

/** Returns whether a response is certainly Traefik's own. */
export function isGatewayResponse(response: Response): boolean {
  return writerOf(response) === "gateway";
}

/** Returns whether a response can be Traefik's own. */
export function mayBeGatewayResponse(response: Response): boolean {
  return writerOf(response) !== "application";
}

/** Returns whether a response is that of an outpost that has no provider for the host, or has not loaded it yet. */
export function isOutpostWithoutProvider({ status, body }: Pick<HttpResponse, "status" | "body">): boolean {
  return status === 400 && /"message":\s*"no app for hostname"/i.test(body);
}
