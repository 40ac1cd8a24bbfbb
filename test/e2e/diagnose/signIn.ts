/** Why a sign-in goes round and round, or ends elsewhere. */
import { describe, expect, test } from "vitest";
import { own, named, healthy } from "./world.ts";
import { embedded, providerOf, withObject, withRecord } from "./breakages.ts";

/** Registers the tests; they run on the stack of `world.ts`, and leave it whole. */
export function signInCauses(): void {
  describe("authentication loop", () => {
    test("trusted origins: the outpost sends browsers to the service itself", async () => {
      const { pk, config: before } = await embedded();
      const change = { config: { ...before, authentik_host: own.origin("app.localhost") } };
      await withRecord(`/outposts/instances/${pk}/`, change, { config: before }, async () => {
        const { cause } = await named("app.localhost", ["loop", "trusted origins"]);
        expect(cause?.evidence).toEqual([
          `authentik_host of outpost "authentik Embedded Outpost" is ${own.origin("app.localhost")}`,
        ]);
      });
      await healthy();
    });

    test("route configuration: the gateway keeps the session's cookie from the outpost", async () => {
      const change = (spec: { forwardAuth: object }) => ({
        forwardAuth: { ...spec.forwardAuth, authRequestHeaders: ["Accept"] },
      });
      await withObject("middlewares", ["default", "gatehouse-forward-auth"], change, async () => {
        const { cause } = await named("app.localhost", ["loop", "route configuration"]);
        expect(cause?.evidence).toEqual(["authRequestHeaders is Accept; Cookie is not among them"]);
      });
      await healthy();
    });
  });

  describe("a sign-in that ends elsewhere, or would", () => {
    test("provider configuration: the provider leads back to another protocol", async () => {
      const path = `/providers/proxy/${await providerOf("app@localhost")}/`;
      const origin = own.origin("app.localhost");
      const wrong = origin.replace("http:", "https:");
      await withRecord(path, { external_host: wrong }, { external_host: origin }, async () => {
        const { cause } = await named("app.localhost", ["sign-in", "provider configuration"]);
        expect(cause?.evidence).toEqual([
          `external_host of provider "app@localhost" is "${wrong}", and the plan says "${origin}"`,
        ]);
      });
      await healthy();
    });

    // On localhost browsers and clients keep a Secure cookie over HTTP, so people still get in; elsewhere they would not.
    test("trusted origins: the gateway says another protocol than the browser's", async () => {
      const change = (spec: { headers: { customRequestHeaders: object } }) => ({
        headers: { customRequestHeaders: { ...spec.headers.customRequestHeaders, "X-Forwarded-Proto": "https" } },
      });
      await withObject("middlewares", ["authentik", "gatehouse-strip"], change, async () => {
        const { cause } = await named("app.localhost", ["none", "trusted origins", "also route configuration"]);
        const { host } = new URL(own.identityProvider);
        expect(cause?.evidence).toEqual([`its issuer, asked at ${own.identityProvider}, begins with https://${host}`]);
      });
      await healthy();
    });

    test("provider configuration: not attached to the outpost", async () => {
      const [{ pk, providers }, id] = [await embedded(), await providerOf("app@localhost")];
      const change = { providers: providers.filter((provider) => provider !== id) };
      await withRecord(`/outposts/instances/${pk}/`, change, { providers }, async () => {
        const { cause } = await named("app.localhost", ["sign-in", "provider configuration"]);
        expect(cause?.fault).toBe('provider "app@localhost" is not attached to its outpost');
      });
      await healthy();
    });
  });
}
