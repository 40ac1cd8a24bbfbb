/** The service types other than proxy in the local stack, and the headers that test environments show. */
import { expect, inject, test } from "vitest";
import { headerOf, withClient } from "../../ops/clients/http.ts";
import { receivedHeaders } from "../../ops/checks/verify/echo.ts";
import { signIn } from "../../ops/clients/signIn.ts";
import { origin, sampleUser } from "./fixtures.ts";

test("signs users in to an oauth2 application with the client of its Secret", () =>
  withClient(async (client) => {
    const response = await signIn(client, `${origin("notes")}/page`, sampleUser("bob"));
    expect(response.url).toBe(`${origin("notes")}/page`);
    expect(JSON.parse(response.body)).toMatchObject({ preferred_username: "bob", groups: ["staff"] });
    const foreign = await client.send(`${origin("notes")}/callback?code=x&state=y`);
    expect(foreign.status).toBe(400);
  }));

test("accepts the username and password of a basic service, and passes only the username to the application", () =>
  withClient(async (client) => {
    const refused = await client.send(`${origin("legacy")}/`);
    expect([refused.status, headerOf(refused, "www-authenticate")]).toEqual([401, 'Basic realm="legacy"']);
    const password = inject("platform").variables["LEGACY_PASSWORD"] ?? "";
    const authorization = `Basic ${Buffer.from(`ops:${password}`).toString("base64")}`;
    const response = await client.send(`${origin("legacy")}/`, { headers: { authorization } });
    const headers = receivedHeaders(response.body);
    expect([response.status, headers.get("x-idp-username"), headers.has("authorization")]).toEqual([
      200,
      ["ops"],
      false,
    ]);
  }));

test.each(["whoami", "admin", "notes"])(
  "shows the headers of the signed-in user in the test environment of %s",
  (application) =>
    withClient(async (client) => {
      const url = `${origin(`whoami-${application}`)}/`;
      const response = await signIn(client, url, sampleUser("alice"));
      expect([response.url, receivedHeaders(response.body).get("x-idp-groups")]).toEqual([url, ["admins,staff"]]);
    }),
);
