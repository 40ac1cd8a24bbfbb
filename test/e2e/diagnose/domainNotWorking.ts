/** Causes of a host that does not answer. */
import { describe, expect, test } from "vitest";
import { SERVICES, stack, config, named, healthy } from "./platform.ts";
import { withObject } from "./breakages.ts";

/** Registers the tests; they run on the stack of `platform.ts`, and leave it as planned. */
export function domainCauses(): void {
  describe("domain not working", () => {
    test("names a domain that is not enabled", async () => {
      const { cause } = await named("app.partner.localhost", ["not-working", "domain not enabled"]);
      expect(cause?.message).toBe('domain "partner" is not enabled, so nothing is exposed on app.partner.localhost');
    });

    test("suggests the host that was probably meant", async () => {
      const { cause } = await named("ap.localhost", ["not-working", "absent from protected_services"]);
      expect(cause?.hint).toBe("did you mean app.localhost?");
    });

    test("names the route when it was deleted", async () => {
      await withObject(
        "ingressroutes",
        ["default", "app"],
        () => undefined,
        async () => {
          const { cause } = await named("app.localhost", ["not-working", "route configuration"]);
          expect(cause?.message).toContain("IngressRoute default/app is missing");
        },
      );
      await healthy();
    });

    test("names DNS when a deployed host has no record", async () => {
      const partner = { enabled: true, base_domain: "partner.test", targets: ["192.0.2.1"] };
      const remote = config(SERVICES, { partner, users: [] });
      await stack.up(remote);
      const { cause } = await named("app.partner.test", ["not-working", "DNS resolution"], remote);
      expect(cause?.evidence).toEqual([
        "the resolver returns ENOTFOUND",
        "DNSEndpoint gatehouse-diagnose-partner contains app.partner.test with 192.0.2.1",
      ]);
      await stack.up(config());
      await healthy();
    });
  });
}
