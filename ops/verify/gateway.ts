import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import { IDENTITY_HEADERS, identityHeaderSpellings } from "../../infra/identity/headers.ts";
import { endsHere } from "../../infra/plan/routes.ts";
import type { Exposure } from "../../infra/plan/types.ts";
import { type Answer, headerOf, withClient } from "../http.ts";
import { type Check, check, expectEqual, Unexpected } from "./check.ts";
import { receivedHeaders, receivedPath } from "./echo.ts";
import { type Credentials, signIn } from "./signIn.ts";

const PATH = "/x?y=1";

/** What an exposure answered to a request without a session. */
export interface RouteAnswer {
  readonly url: string;
  readonly protection: Exposure["protection"];
  readonly status: number;
  readonly answered: string;
}

/** Asks every exposure once, without a session. */
export async function askWithoutSession(
  exposures: readonly Exposure[],
  identityProviderUrl: string,
): Promise<{ routes: RouteAnswer[]; checks: Check[] }> {
  const routes: RouteAnswer[] = [];
  const checks: Check[] = [];
  for (const exposure of exposures) {
    const url = exposure.role === "identity-provider" ? `${exposure.url}/if/admin/` : `${exposure.url}/`;
    checks.push(
      await check(`${exposure.url} without a session`, () =>
        withClient(async (client) => {
          // The catalogue's page begins at a path of its own.
          const answer = await (exposure.role === "catalog" ? client.follow(url) : client.send(url));
          const answered = describe(answer);
          routes.push({ url, protection: exposure.protection, status: answer.status, answered });
          refuseUnlessAllowed(exposure, answer, identityProviderUrl);
          return answered;
        }),
      ),
    );
    if (exposure.authentication === "forward-auth") checks.push(await checkBackground(exposure));
    for (const path of exposure.publicPaths) checks.push(await checkPublicPath(exposure, path));
    if (endsHere(exposure)) checks.push(await checkRedirectToHttps(exposure));
  }
  return { routes, checks };
}

function describe(answer: Answer): string {
  const location = headerOf(answer, "location");
  return location === undefined ? `${answer.status}` : `${answer.status} → ${new URL(location, answer.url).origin}`;
}

/** @throws Unexpected when the answer is not what the exposure's protection promises */
function refuseUnlessAllowed(exposure: Exposure, answer: Answer, identityProviderUrl: string): void {
  switch (exposure.authentication) {
    case "forward-auth": {
      expectEqual("status", answer.status, 302);
      const login = `${identityProviderUrl}/application/o/authorize/`;
      if (!headerOf(answer, "location")?.startsWith(`${login}?`)) {
        throw new Unexpected(`a redirect to ${login}`, headerOf(answer, "location") ?? "no location");
      }
      return;
    }
    case "basic-auth":
      expectEqual("status", answer.status, 401);
      expectEqual("realm", headerOf(answer, "www-authenticate"), `Basic realm="${exposure.entry}"`);
      return;
    case "none":
      if (exposure.protection === "open") {
        expectEqual("status", answer.status, 200);
      } else if (answer.status === 200) {
        const cure = "the application does not ask for a login; set enforce: gateway";
        throw new Unexpected("a refusal or a redirect", `200: ${cure}`);
      }
  }
}

/** A script gets a 401, not the way to a login that it cannot show. */
function checkBackground({ url }: Exposure): Promise<Check> {
  return check(`${url} without a session, from a script`, () =>
    withClient(async (client) => {
      const answer = await client.send(`${url}/`, { headers: { "x-requested-with": "XMLHttpRequest" } });
      expectEqual("status", answer.status, 401);
      return "401";
    }),
  );
}

/** A public path leads to the application, whatever that says. */
function checkPublicPath({ url }: Exposure, path: string): Promise<Check> {
  return check(`${url}${path} is open`, () =>
    withClient(async (client) => {
      const answer = await client.send(url + path);
      if (answer.status === 401 || headerOf(answer, "location")?.includes("/application/o/authorize/") === true) {
        throw new Unexpected("an answer of the application", describe(answer));
      }
      return describe(answer);
    }),
  );
}

function checkRedirectToHttps({ host, url }: Exposure): Promise<Check> {
  return check(`http://${host} leads to HTTPS`, () =>
    withClient(async (client) => {
      const answer = await client.send(`http://${host}/`);
      expectEqual("location", headerOf(answer, "location"), `${url}/`);
      return describe(answer);
    }),
  );
}

/** Signs in to an exposure of the echo service and compares what arrives there with the six headers of the spec. */
export function checkSignIn(
  exposure: Exposure,
  user: Credentials & { readonly email: string; readonly name: string; readonly groups: readonly string[] },
  jwks: string,
): Promise<Check> {
  return check(`${user.username} signs in to ${exposure.url}`, () =>
    withClient(async (client) => {
      const answer = await signIn(client, `${exposure.url}${PATH}`, user);
      expectEqual("status", answer.status, 200);
      expectEqual("path", receivedPath(answer.body), PATH);
      const headers = receivedHeaders(answer.body);
      const one = (name: string): string => {
        const values = headers.get(name) ?? [];
        expectEqual(`number of ${name} headers`, values.length, 1);
        return values[0] ?? "";
      };
      expectEqual("X-idp-username", one("x-idp-username"), user.username);
      expectEqual("X-idp-email", one("x-idp-email"), user.email);
      expectEqual("X-idp-name", one("x-idp-name"), user.name);
      expectEqual("X-idp-groups", one("x-idp-groups"), [...user.groups].sort().join(","));
      if (one("x-idp-uid") === "") {
        throw new Unexpected("an X-idp-uid", "an empty one");
      }
      const keys = createLocalJWKSet(JSON.parse((await client.send(jwks)).body) as JSONWebKeySet);
      const { payload } = await jwtVerify(one("x-idp-jwt"), keys, { algorithms: ["RS256", "ES256"] });
      expectEqual("user name in X-idp-jwt", payload["preferred_username"], user.username);
      return `on ${PATH} with the ${IDENTITY_HEADERS.length} headers, X-idp-jwt verified`;
    }),
  );
}

/** A user outside every group of the exposure must not reach it. */
export function checkWrongGroup(exposure: Exposure, user: Credentials): Promise<Check> {
  return check(`${user.username} is kept out of ${exposure.url}`, () =>
    withClient(async (client) => {
      const answer = await signIn(client, `${exposure.url}/`, user);
      if (answer.url.startsWith(exposure.url) && answer.status === 200) {
        throw new Unexpected("a refusal", "200 from the application");
      }
      return `${answer.status} from ${new URL(answer.url).origin}`;
    }),
  );
}

/** No spelling of an identity header that a client sends arrives at the echo service behind an open route. */
export function checkSpoofing(exposure: Exposure): Promise<Check> {
  return check(`forged identity headers to ${exposure.url}`, () =>
    withClient(async (client) => {
      const spellings = identityHeaderSpellings();
      const headers = Object.fromEntries(spellings.map((header) => [header, "forged"]));
      const answer = await client.send(`${exposure.url}/`, { headers });
      const arrived = [...receivedHeaders(answer.body)].filter(([, values]) => values.includes("forged"));
      expectEqual(
        "forged headers that arrived",
        arrived.map(([name]) => name),
        [],
      );
      return `none of ${spellings.length} spellings arrived`;
    }),
  );
}

/** A host of a domain that is not enabled is not routed. */
export function checkNotRouted(gateway: string, host: string): Promise<Check> {
  return check(`${host} is not routed`, () =>
    withClient(async (client) => {
      const answer = await client.send(gateway, { headers: { host } });
      expectEqual("status", answer.status, 404);
      return "404";
    }),
  );
}
