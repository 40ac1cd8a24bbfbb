/** RP-initiated logout: docs/authentik.md, "What a sign-out ends"; `authentik/providers/oauth2/views/end_session.py`. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Authentik } from "../../authentik/server.ts";
import { Browser } from "./browser.ts";
import {
  app,
  authorize,
  callback,
  configure,
  deploy,
  endpoint,
  hosts,
  identity,
  list,
  origin,
  signIn,
  start,
  waiting,
} from "./deployment.ts";
import type { Json } from "./deployment.ts";

let authentik: Authentik;

beforeAll(async () => {
  authentik = await start();
  await authentik.ready;
  await deploy(authentik.url);
});
afterAll(() => authentik.close());

describe("signing out at an application", () => {
  const out = `${endpoint}/identity/end-session/`;
  const back = "http://dash.localhost/bye";

  test("redirects to the invalidation flow, which ends the session when the browser has run it", async () => {
    const { pk } = (await list(authentik.url, "/flows/instances/?slug=default-invalidation-flow"))[0] ?? {};
    const restore = await configure(authentik.url, { invalidation_flow: pk });
    const browser = new Browser(authentik.url, hosts);
    await signIn(browser, `${app}/`);
    const answer = await browser.request(out);
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "/if/flow/default-invalidation-flow/"]);
    expect((await browser.request(`${origin}/`)).headers.get("location")).toBe("/if/user/");
    const again = await browser.request(out);
    expect([again.status, await again.text()]).toEqual([200, "<html><body>Logout successful</body></html>"]);
    const flow = `${origin}/if/flow/default-invalidation-flow/`;
    expect(await browser.runFlow(flow, [])).toMatchObject({ component: "xak-flow-redirect", to: "/" });
    expect((await browser.follow(`${origin}/`)).url).toContain("/if/flow/default-authentication-flow/");
    await expect.poll(async () => (await browser.request(`${app}/`)).status, waiting).toBe(302);
    await restore();
  });

  test("leaves the user signed in at authentik with the invalidation flow for providers", async () => {
    const { pk } = (await list(authentik.url, "/flows/instances/?slug=default-provider-invalidation-flow"))[0] ?? {};
    const restore = await configure(authentik.url, { invalidation_flow: pk });
    const browser = new Browser(authentik.url, hosts);
    await signIn(browser, `${app}/`);
    const { url } = await browser.follow(out);
    expect(await browser.runFlow(url, [])).toMatchObject({
      component: "ak-stage-session-end",
      application_name: "identity",
      invalidation_flow_url: "/if/flow/default-invalidation-flow/",
    });
    expect((await browser.follow(authorize())).url).not.toContain("/if/flow/default-authentication-flow/");
    await restore();
  });

  test("redirects to the login first without a session", async () => {
    const answer = await new Browser(authentik.url, hosts).request(`${out}?state=x`);
    const next = encodeURIComponent("/application/o/identity/end-session/?state=x");
    const login = `/if/flow/default-authentication-flow/?state=x&next=${next}`;
    expect([answer.status, answer.headers.get("location")]).toEqual([302, login]);
  });

  test("redirects to a registered address only, whatever the id token", async () => {
    const { redirect_uris } = await identity(authentik.url);
    const logout = { matching_mode: "strict", url: back, redirect_uri_type: "logout" };
    const restore = await configure(authentik.url, { redirect_uris: [...(redirect_uris as Json[]), logout] });
    const ending = async (query: Record<string, string>) => {
      const browser = new Browser(authentik.url, hosts);
      await signIn(browser, `${app}/`);
      const { url } = await browser.follow(`${out}?${new URLSearchParams(query).toString()}`);
      return (await browser.runFlow(url, []))["to"];
    };
    expect(await ending({ post_logout_redirect_uri: back, id_token_hint: "x", state: "a b" })).toBe(
      `${back}?state=a%20b`,
    );
    expect(await ending({ post_logout_redirect_uri: callback })).toBe("/");
    const browser = new Browser(authentik.url, hosts);
    expect((await browser.request(authorize({ redirect_uri: back }))).status).toBe(400);
    await restore();
  });
});
