import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from "jose";
import { IDENTITY_HEADERS } from "../../../infra/identity/headers.ts";
import type { Exposure } from "../../../infra/plan/types.ts";
import { WRONG_PASSWORD } from "../../../protections/expectation.ts";
import { OUTPOST_PATH } from "../../../protections/forwardAuth.ts";
import { type HttpResponse, headerOf, type HttpClient, withClient } from "../../clients/http.ts";
import type { TokenResponse } from "../../clients/machineAccount.ts";
import { restoreBindings } from "../bindings.ts";
import { type Check, check, checkWithClient, expectEqual, Unexpected } from "../check.ts";
import { receivedHeaders, receivedPath } from "./echo.ts";
import { describe, expectApplication, forged, redirectsToLogin, expectNoForgedHeaders } from "./gateway.ts";
import { type Credentials, signIn } from "../../clients/signIn.ts";

const PATH = "/x?y=1";

/** The signed-in user, as in the headers. */
export interface Identity {
  readonly username: string;
  readonly email: string;
  readonly name: string;
  readonly groups: readonly string[];
}

/**
 * Checks that a user can sign in to an exposure.
 * @param jwks where the keys of X-idp-jwt are published, if it is of the echo service: then the six identity headers arrive, also when the
 *   client forges them
 */
export function checkSignIn(exposure: Exposure, user: Credentials & Identity, jwks?: string): Promise<Check> {
  return checkWithClient(`${user.username} signs in to ${exposure.url}`, async (client) => {
    if (jwks !== undefined) {
      await expectIdentity(client, await signIn(client, `${exposure.url}${PATH}`, user), user, jwks);
      for (const headers of forged()) {
        const again = await client.send(`${exposure.url}${PATH}`, { headers });
        expectNoForgedHeaders(again, PATH);
        await expectIdentity(client, again, user, jwks);
      }
      return `on ${PATH} with the ${IDENTITY_HEADERS.length} headers, X-idp-jwt verified, none forged`;
    }
    const response = await signIn(client, `${exposure.url}/`, user);
    if (!response.url.startsWith(`${exposure.url}/`)) {
      throw new Unexpected(
        "a response of the application",
        `${describe(response)} from ${new URL(response.url).origin}`,
      );
    }
    return expectAdmitted(response);
  });
}

/**
 * @param response of the echo service to a request for {@link PATH}
 * @param jwks where the keys of X-idp-jwt are published
 * @throws Unexpected when a header is missing, arrived twice, or has another value; never with the token itself
 */
async function expectIdentity(client: HttpClient, response: HttpResponse, user: Identity, jwks: string): Promise<void> {
  expectEqual("status", response.status, 200);
  expectEqual("path", receivedPath(response.body), PATH);
  const headers = receivedHeaders(response.body);
  const one = (name: string): string => {
    const values = headers.get(name) ?? [];
    expectEqual(`number of ${name} headers`, values.length, 1);
    return values[0] ?? "";
  };
  expectEqual("X-idp-username", one("x-idp-username"), user.username);
  // A machine has no address: the header is empty, or left out.
  if (user.email !== "" || headers.has("x-idp-email")) expectEqual("X-idp-email", one("x-idp-email"), user.email);
  expectEqual("X-idp-name", one("x-idp-name"), user.name);
  if (user.groups.length > 0 || headers.has("x-idp-groups")) {
    expectEqual("X-idp-groups", one("x-idp-groups"), [...user.groups].sort().join(","));
  }
  if (one("x-idp-uid") === "") throw new Unexpected("an X-idp-uid", "an empty one");
  const keys = createLocalJWKSet(JSON.parse((await client.send(jwks)).body) as JSONWebKeySet);
  // As applications verify it (docs/applications.md).
  const issuer = jwks.replace(/jwks\/$/, "");
  const audience = issuer.split("/").at(-2) ?? "";
  const { payload } = await jwtVerify(one("x-idp-jwt"), keys, { algorithms: ["RS256"], issuer, audience });
  expectEqual("user name in X-idp-jwt", payload["preferred_username"], user.username);
}

/** @throws Unexpected when a user who signed in is asked to sign in again, is refused, is on a wrong host, or no application answers */
function expectAdmitted(response: HttpResponse): string {
  expectApplication(response);
  if ([400, 401, 403, 421, 431].includes(response.status) || response.status >= 500 || redirectsToLogin(response)) {
    throw new Unexpected("a response of the application", describe(response));
  }
  return describe(response);
}

/**
 * Checks that a user outside every group of the exposure does not reach it: the sign-in ends at authentik, whose page of a denial is in the language
 * of its brand, or the outpost refuses the callback. An application can answer with any status to a user that it receives.
 */
export function checkWrongGroup(
  { url }: Exposure,
  user: Credentials,
  identityProviderUrl: string | undefined,
): Promise<Check> {
  return checkWithClient(`${user.username} is denied at ${url}`, async (client) => {
    const response = await signIn(client, `${url}/`, user);
    expectApplication(response);
    const { origin, pathname } = new URL(response.url);
    const byAuthentik = origin === identityProviderUrl;
    const byOutpost = origin === url && pathname.startsWith(`${OUTPOST_PATH}/`) && [400, 403].includes(response.status);
    const observed = `${response.status} from ${origin}`;
    if (!byAuthentik && !byOutpost) throw new Unexpected("a denial by the identity provider", observed);
    return observed;
  });
}

/**
 * Checks that a machine outside every group of the exposure gets no token of the application, which the gateway names in its redirect to the login.
 * authentik refuses the machine as it refuses a wrong password (`invalid_grant`; authentik/providers/oauth2/views/token.py, `TokenParams`).
 */
export async function checkWrongMachine(
  { url, entry, groups, application }: Exposure,
  username: string,
  request: (clientId: string) => Promise<TokenResponse>,
): Promise<Check> {
  const slug = application?.slug ?? "";
  let admitted: { readonly detail: string; readonly hint: string } | undefined;
  const result = await check(`${username} is denied at ${url}`, async () => {
    const response = await withClient((client) => client.send(`${url}/`));
    const clientId = URL.parse(headerOf(response, "location") ?? "", url)?.searchParams.get("client_id") ?? undefined;
    if (clientId === undefined) throw new Unexpected("a redirect to the login", describe(response));
    const { status, token, error = "" } = await request(clientId);
    if (token !== undefined) {
      const inherited = groupsInToken(token)
        .filter((group) => groups.includes(group))
        .join(", ");
      admitted =
        inherited !== ""
          ? {
              detail: `a token: authentik counts it as a member of ${inherited}, through another group`,
              hint: `add ${inherited} to the groups of service account ${username}, or remove the parent of its group in authentik`,
            }
          : {
              detail: `a token: application "${slug}" of the service "${entry}" admits users outside of its groups (${groups.join(", ")})`,
              hint: restoreBindings(slug, "npx gatehouse deploy with --refresh"),
            };
    }
    const observed = admitted?.detail ?? `${status} ${error}`.trim();
    if (admitted || error !== "invalid_grant")
      throw new Unexpected("invalid_grant from the identity provider", observed);
    return observed;
  });
  return admitted ? { ...result, hint: admitted.hint } : result;
}

/** Returns the groups that a machine's token states for `X-idp-groups`, inherited ones included; none of a token that cannot be read. */
function groupsInToken(token: string): string[] {
  try {
    const { ak_proxy } = decodeJwt<{ ak_proxy?: { user_attributes?: { additionalHeaders?: Record<string, string> } } }>(
      token,
    );
    return ak_proxy?.user_attributes?.additionalHeaders?.["X-idp-groups"]?.split(",") ?? [];
  } catch {
    return [];
  }
}

/** Checks the sign-in of the one user of a `basic` exposure; at the echo service also that the password itself does not arrive. */
export function checkBasic(exposure: Exposure, { username, password }: Credentials, echo: boolean): Promise<Check> {
  return checkWithClient(`${username} signs in to ${exposure.url}`, async (client) => {
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
    if (!echo) return expectAccepted(client, exposure, authorization, WRONG_PASSWORD);
    for (const response of await sendForged(client, exposure, authorization)) {
      expectNoForgedHeaders(response, PATH);
      const headers = receivedHeaders(response.body);
      expectEqual("X-idp-username", headers.get("x-idp-username"), [username]);
      expectEqual("number of Authorization headers", headers.get("authorization")?.length ?? 0, 0);
    }
    return "with X-idp-username, without the password, none forged";
  });
}

/** Checks that a machine can call an exposure with its own token. @param jwks as for {@link checkSignIn} */
export function checkMachine(
  exposure: Exposure,
  user: Identity,
  token: () => Promise<string>,
  jwks?: string,
): Promise<Check> {
  return checkWithClient(`${user.username} calls ${exposure.url} as a machine`, async (client) => {
    const authorization = `Bearer ${await token()}`;
    if (jwks === undefined) return expectAccepted(client, exposure, authorization, WRONG_TOKEN);
    for (const response of await sendForged(client, exposure, authorization)) {
      expectNoForgedHeaders(response, PATH);
      await expectIdentity(client, response, user, jwks);
    }
    return `with the ${IDENTITY_HEADERS.length} headers, X-idp-jwt verified, none forged`;
  });
}

/** `Authorization` with a token that no machine has. */
const WRONG_TOKEN = "Bearer gatehouse-invalid";

/**
 * Checks that the gateway accepts credentials. An application can answer with any status, e.g. if it requires a token of its own, so that its response
 * is compared with that to a control request with invalid credentials.
 * @throws Unexpected when the gateway refuses the credentials, or no application answers
 */
async function expectAccepted(
  client: HttpClient,
  { url }: Exposure,
  authorization: string,
  invalid: string,
): Promise<string> {
  const send = (from: HttpClient, value: string) =>
    from.send(`${url}${PATH}`, { headers: { authorization: value }, excerpt: true });
  const refusal = identifying(await withClient((other) => send(other, invalid)));
  const response = await send(client, authorization);
  expectApplication(response);
  const observed = describe(response);
  if (redirectsToLogin(response)) throw new Unexpected("a response of the application", observed);
  if (identifying(response) === refusal) {
    throw new Unexpected("a response of the application", `${observed}, as with invalid credentials`);
  }
  return observed;
}

/** Returns what distinguishes the refusal of a gateway, with its realm, from the response of an application. */
function identifying(response: HttpResponse): string {
  return JSON.stringify([response.status, headerOf(response, "www-authenticate"), response.body]);
}

/** Sends requests with all forged headers to the echo service. */
async function sendForged(client: HttpClient, { url }: Exposure, authorization: string): Promise<HttpResponse[]> {
  const responses: HttpResponse[] = [];
  for (const headers of forged()) {
    responses.push(await client.send(`${url}${PATH}`, { headers: { ...headers, authorization } }));
  }
  return responses;
}
