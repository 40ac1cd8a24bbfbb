import { terminatesTls } from "../../../infra/plan/exposure.ts";
import type { Exposure } from "../../../infra/plan/types.ts";
import { identityHeaderSpellings } from "../../../infra/identity/headers.ts";
import type { ExpectedExposure } from "../../../infra/verification/target.ts";
import type { ExpectedPage, ExpectedRefusal } from "../../../protections/expectation.ts";
import { type HttpResponse, headerOf } from "../../clients/http.ts";
import { isGatewayResponse } from "../../clients/gatewayResponse.ts";
import { AUTHORIZE_PATH } from "../../clients/signIn.ts";
import { type Check, checkWithClient, expectEqual, Unexpected } from "../check.ts";
import { receivedHeaders, receivedPath } from "./echo.ts";
import { pageUrl } from "../../../infra/plan/exposure.ts";

/** Of answers of applications, only status and headers are compared. */
const EXCERPT = { excerpt: true };

export interface RouteResponse {
  readonly url: string;
  readonly protection: Exposure["protection"];
  readonly status: number;
  readonly answered: string;
}

/**
 * Sends requests without a session to an exposure: for a page, those that its protection refuses, on its public paths, and over HTTP if it
 * has TLS.
 * @param onResponse receives the response for a page
 */
export async function checkRoute(
  exposure: ExpectedExposure,
  identityProviderUrl: string,
  onResponse: (response: RouteResponse) => void,
): Promise<Check[]> {
  const url = pageUrl(exposure);
  const page = await checkWithClient(`${exposure.url} without a session`, async (client) => {
    // The page of the catalog has its own path.
    const response = await (exposure.role === "catalog" ? client.follow(url) : client.send(url, EXCERPT));
    const answered = describe(response);
    onResponse({ url, protection: exposure.protection, status: response.status, answered });
    expectPage(exposure.expectation.page, response, identityProviderUrl);
    return answered;
  });
  const checks = [page];
  for (const refusal of exposure.expectation.refusals) checks.push(await checkRefusal(exposure, refusal));
  for (const path of exposure.publicPaths) checks.push(await checkPublicPath(exposure, path));
  if (terminatesTls(exposure)) checks.push(await checkRedirectToHttps(exposure));
  return checks;
}

/** Returns the status and, of a redirect, the origin of its target: a query can contain secrets. */
export function describe(response: HttpResponse): string {
  const location = headerOf(response, "location");
  return location === undefined
    ? `${response.status}`
    : `${response.status} → ${new URL(location, response.url).origin}`;
}

/** Returns whether a response redirects to the login of authentik. */
export function redirectsToLogin(response: HttpResponse): boolean {
  return headerOf(response, "location")?.includes(AUTHORIZE_PATH) === true;
}

/**
 * Compares the response to a request without a session with the expectation of a protection.
 * @throws Unexpected when the response to a request without a session is not the expected one
 */
export function expectPage(page: ExpectedPage, response: HttpResponse, identityProviderUrl: string): void {
  switch (page.kind) {
    case "login": {
      expectEqual("status", response.status, 302);
      const login = `${identityProviderUrl}${AUTHORIZE_PATH}`;
      const [location = "", query] = (headerOf(response, "location") ?? "no location").split("?");
      if (location !== login) throw new Unexpected(`a redirect to ${login}`, location);
      // An outpost with a single provider answers for every host (authentik's outpost, `Handle`), until it has loaded the others.
      const callback = URL.parse(new URLSearchParams(query).get("redirect_uri") ?? "");
      expectEqual("origin of redirect_uri", callback?.origin, new URL(response.url).origin);
      return;
    }
    case "status":
      expectEqual("status", response.status, page.status);
      if (page.header) expectEqual(page.header.label, headerOf(response, page.header.name), page.header.value);
      return;
    case "application":
      expectApplication(response);
      if (response.status === 200) {
        const hint = "the application does not require a login; set enforce: gateway";
        throw new Unexpected("a refusal or a redirect", `200: ${hint}`);
      }
  }
}

/** Statuses of a gateway or proxy whose backend does not answer (RFC 9110, 15.6.3 to 15.6.5). */
const UNAVAILABLE = [502, 503, 504];

/**
 * Checks that a response is that of an application.
 * @throws Unexpected for a response of the gateway itself: it has no route here, a route without a backend, or a backend that does not answer
 */
export function expectApplication(response: HttpResponse): void {
  const unexpected = (hint: string) =>
    new Unexpected("a response of the application", `${describe(response)}, ${hint}`);
  if (isGatewayResponse(response)) {
    throw unexpected("the gateway's own response: its route, or the Service behind it, is missing or has no endpoint");
  }
  if (UNAVAILABLE.includes(response.status)) {
    throw unexpected("the application is not available, or does not respond to the gateway");
  }
}

/** Sends another request without a session, which is refused. */
function checkRefusal({ url }: Exposure, { name, headers, status }: ExpectedRefusal): Promise<Check> {
  return checkWithClient(`${url} ${name}`, async (client) => {
    expectEqual("status", (await client.send(`${url}/`, { headers, ...EXCERPT })).status, status);
    return `${status}`;
  });
}

/** Checks that a public path is routed to the application, and a path below it that some servers resolve to another one is not. */
function checkPublicPath(exposure: ExpectedExposure, path: string): Promise<Check> {
  const { url, authentication } = exposure;
  return checkWithClient(`${url}${path} is open`, async (client) => {
    const response = await client.send(url + path, EXCERPT);
    expectApplication(response);
    if (isRefusal(exposure, response)) throw new Unexpected("a response of the application", describe(response));
    if (authentication === "none") return describe(response);
    const outside = `${path.replace(/[/]$/, "")}/..%2F`;
    const other = await client.send(url + outside, EXCERPT);
    // An entry point can refuse encoded characters with 400.
    if (other.status !== 400 && !isRefusal(exposure, other)) {
      const refusal = `a refusal of ${outside}, which many servers read as a path outside of ${path}`;
      throw new Unexpected(refusal, describe(other));
    }
    return describe(response);
  });
}

/** Returns whether the gateway refused a request without a session. An application can answer 401 itself. */
function isRefusal({ expectation: { page } }: ExpectedExposure, response: HttpResponse): boolean {
  if (redirectsToLogin(response)) return true;
  if (page.kind !== "status" || page.header === undefined) return false;
  return response.status === page.status && headerOf(response, page.header.name) === page.header.value;
}

function checkRedirectToHttps({ host, url }: Exposure): Promise<Check> {
  return checkWithClient(`http://${host} redirects to HTTPS`, async (client) => {
    const response = await client.send(`http://${host}/`, EXCERPT);
    expectEqual("location", headerOf(response, "location"), `${url}/`);
    return describe(response);
  });
}

/** Checks that no spelling of an identity header that a client sends reaches the echo service behind an open route. */
export function checkSpoofing({ url }: Exposure): Promise<Check> {
  return checkWithClient(`forged identity headers to ${url}`, async (client) => {
    for (const headers of forged()) expectNoForgedHeaders(await client.send(`${url}/`, { headers }), "/");
    return `none of ${identityHeaderSpellings().length} spellings arrived`;
  });
}

const FORGED = "forged";
/** Proxies in front of the gateway refuse requests with more headers than their limit, often 100. */
const HEADERS_PER_REQUEST = 50;

/** Returns every spelling of every identity header, as a client may send it, for several requests. */
export function forged(): Record<string, string>[] {
  const spellings = identityHeaderSpellings();
  const count = Math.ceil(spellings.length / HEADERS_PER_REQUEST);
  return Array.from({ length: count }, (_, i) => {
    const some = spellings.slice(i * HEADERS_PER_REQUEST, (i + 1) * HEADERS_PER_REQUEST);
    return Object.fromEntries(some.map((header) => [header, FORGED]));
  });
}

/**
 * Checks that no header of {@link forged} reached the echo service.
 * @param response of the echo service
 * @param path of the request
 * @throws Unexpected when a forged header arrived, or the echo service did not answer
 */
export function expectNoForgedHeaders({ status, body }: HttpResponse, path: string): void {
  expectEqual("status", status, 200);
  expectEqual("path at the echo service", receivedPath(body), path);
  const arrived = [...receivedHeaders(body)].flatMap(([name, values]) => (values.includes(FORGED) ? [name] : []));
  expectEqual("forged headers that arrived", arrived, []);
}
