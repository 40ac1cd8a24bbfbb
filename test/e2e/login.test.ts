/** The five checks of a login suite, with each step of the flow executor (authentik docs, "Flow executor"). */
import { expect, test } from "vitest";
import { IDENTITY_HEADERS } from "../../infra/identity/headers.ts";
import { type HttpResponse, headerOf, type HttpClient, withClient } from "../../ops/clients/http.ts";
import { receivedHeaders, receivedPath } from "../../ops/checks/verify/echo.ts";
import { origin, sampleUser } from "./fixtures.ts";

const PAGE = "/x?y=1";
const receivedIdentityHeaders = (body: string): string[] =>
  [...receivedHeaders(body).keys()].filter((name) => name.startsWith("x-idp-"));

/** Returns the URL of the flow executor of the login page, after a request for the protected page. */
async function executorFor(client: HttpClient): Promise<string> {
  const login = new URL((await client.follow(`${origin("whoami")}${PAGE}`)).url);
  expect(login.pathname).toBe("/if/flow/default-authentication-flow/");
  const query = encodeURIComponent(login.search.slice(1));
  return `${login.origin}/api/v3/flows/executor/default-authentication-flow/?query=${query}`;
}

/** Answers one challenge and returns the next one. */
async function step(client: HttpClient, executor: string, body: object): Promise<Record<string, unknown>> {
  const headers = { "content-type": "application/json" };
  const response = await client.send(executor, { method: "POST", headers, body: JSON.stringify(body) });
  return challenge(response.status === 302 ? await client.follow(executor) : response);
}

function challenge(response: HttpResponse): Record<string, unknown> {
  expect(response.status).toBe(200);
  return JSON.parse(response.body) as Record<string, unknown>;
}

test("redirects from the protected echo service to the identity provider (check 1)", () =>
  withClient(async (client) => {
    const response = await client.send(`${origin("whoami")}${PAGE}`);
    expect(response.status).toBe(302);
    expect(headerOf(response, "location")).toMatch(new RegExp(`^${origin("authentik")}/application/o/authorize/\\?`));
  }));

test("completes a login in three steps (check 2), after which the application receives the six identity headers (check 4)", () =>
  withClient(async (client) => {
    const { username, password } = sampleUser("alice");
    const executor = await executorFor(client);
    expect(challenge(await client.follow(executor))["component"]).toBe("ak-stage-identification");
    const second = await step(client, executor, { component: "ak-stage-identification", uid_field: username });
    expect(second["component"]).toBe("ak-stage-password");
    const third = await step(client, executor, { component: "ak-stage-password", password });
    expect(third["component"]).toBe("xak-flow-redirect");
    const page = await client.follow(new URL(third["to"] as string, executor).href);
    expect([page.url, page.status, receivedPath(page.body)]).toEqual([`${origin("whoami")}${PAGE}`, 200, PAGE]);
    expect(receivedIdentityHeaders(page.body).sort()).toEqual(
      IDENTITY_HEADERS.map((name) => name.toLowerCase()).sort(),
    );
    expect(receivedHeaders(page.body).get("x-idp-username")).toEqual(["alice"]);
  }));

test("returns the page of the public echo service without identity headers (check 3)", () =>
  withClient(async (client) => {
    const response = await client.send(`${origin("whoami-public")}${PAGE}`);
    expect([response.status, receivedPath(response.body), receivedIdentityHeaders(response.body)]).toEqual([
      200,
      PAGE,
      [],
    ]);
  }));

test("rejects a wrong password and creates no session (check 5)", () =>
  withClient(async (client) => {
    const executor = await executorFor(client);
    expect(challenge(await client.follow(executor))["component"]).toBe("ak-stage-identification");
    await step(client, executor, { component: "ak-stage-identification", uid_field: "alice" });
    const again = await step(client, executor, { component: "ak-stage-password", password: "wrong" });
    expect(again).toMatchObject({
      component: "ak-stage-password",
      response_errors: { password: [{ string: "Invalid password", code: "invalid" }] },
    });
    expect((await client.send(`${origin("whoami")}/`)).status).toBe(302);
  }));
