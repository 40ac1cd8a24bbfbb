/** Causes of a redirect loop, and of a sign-in that ends elsewhere. */
import { describe, expect, test } from "vitest";
import { own, named, healthy } from "./platform.ts";
import { outpostOf, providerOf, withExternalHost, withObject, withRecord } from "./breakages.ts";

/** Registers the tests; they run on the stack of `platform.ts`, and leave it as planned. */
export function signInCauses(): void {
  describe("authentication loop", () => {
    // The pod's AUTHENTIK_HOST_BROWSER counts, so users can still sign in; the record differs from the plan.
    test("names trusted origins when the outpost's record has the service's own host", async () => {
      const { name, pk, config: before } = await outpostOf("app-localhost");
      const change = { config: { ...before, authentik_host: own.origin("app.localhost") } };
      await withRecord(`/outposts/instances/${pk}/`, change, { config: before }, async () => {
        const { cause } = await named("app.localhost", ["none", "trusted origins"]);
        expect(cause?.evidence).toEqual([`authentik_host of outpost "${name}" is ${own.origin("app.localhost")}`]);
      });
      await healthy();
    });

    test("names the route when forward auth does not send the session's cookie", async () => {
      const change = (spec: { forwardAuth: object }) => ({
        forwardAuth: { ...spec.forwardAuth, authRequestHeaders: ["Accept"] },
      });
      const { name } = await outpostOf("app-localhost");
      await withObject("middlewares", ["default", `${name}-forward-auth`], change, async () => {
        const { cause } = await named("app.localhost", ["loop", "route configuration"]);
        expect(cause?.message).toContain("does not forward the planned request headers to the outpost");
        expect(cause?.evidence[0]).toBe('forwardAuth.authRequestHeaders[0] is "Accept", planned "Cookie"');
      });
      await healthy();
    });
  });

  describe("a sign-in that ends elsewhere", () => {
    test("names the provider when it redirects to another protocol", async () => {
      const origin = own.origin("app.localhost");
      const wrong = origin.replace("http:", "https:");
      await withExternalHost("app-localhost", wrong, origin, async () => {
        const { cause } = await named("app.localhost", ["sign-in", "provider configuration"]);
        expect(cause?.evidence.map((line) => line.replace(/-[0-9a-f]{8}(?=")/, ""))).toEqual([
          `external_host of provider "app-localhost" is "${wrong}", planned: "${origin}"`,
        ]);
      });
      await healthy();
    });

    // On localhost browsers and clients keep a Secure cookie over HTTP, so users can still sign in; elsewhere they could not.
    test("names trusted origins when the gateway passes another protocol than the browser's", async () => {
      const change = (spec: { headers: { customRequestHeaders: object } }) => ({
        headers: { customRequestHeaders: { ...spec.headers.customRequestHeaders, "X-Forwarded-Proto": "https" } },
      });
      await withObject("middlewares", ["authentik", "gatehouse-strip"], change, async () => {
        const { cause } = await named("app.localhost", ["none", "trusted origins", "also route configuration"]);
        const { host } = new URL(own.identityProvider);
        expect(cause?.evidence).toEqual([
          `its issuer, requested at ${own.identityProvider}, begins with https://${host}`,
        ]);
      });
      await healthy();
    });

    test("names the provider when it is not attached to the outpost", async () => {
      const [{ pk, providers }, id] = [await outpostOf("app-localhost"), await providerOf("app-localhost")];
      // An outpost must have a provider (measured).
      const others = providers.filter((provider) => provider !== id);
      const change = { providers: others.length > 0 ? others : [await providerOf("team-localhost")] };
      await withRecord(`/outposts/instances/${pk}/`, change, { providers }, async () => {
        const { cause } = await named("app.localhost", ["sign-in", "provider configuration"]);
        expect(cause?.message).toMatch(/^provider "app-localhost-[0-9a-f]{8}" is not attached to its outpost$/);
      });
      await healthy();
    });
  });
}
