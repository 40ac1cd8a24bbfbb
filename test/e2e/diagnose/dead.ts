/** Why a host does not answer. */
import { describe, expect, test } from "vitest";
import { SERVICES, stack, config, named, healthy } from "./world.ts";
import { withObject } from "./breakages.ts";

/** Registers the tests; they run on the stack of `world.ts`, and leave it whole. */
export function deadCauses(): void {
  describe("domain not working", () => {
    test("domain not enabled", async () => {
      const { cause } = await named("app.partner.localhost", ["dead", "domain not enabled"]);
      expect(cause?.problem).toBe('domain "partner" is not enabled, so nothing is exposed on app.partner.localhost');
    });

    test("a host of no entry is told with the one that was meant", async () => {
      const { cause } = await named("ap.localhost", ["dead", "absent from protected_services"]);
      expect(cause?.hint).toBe("did you mean app.localhost?");
    });

    test("route configuration: the route was deleted", async () => {
      await withObject(
        "ingressroutes",
        ["default", "app"],
        () => undefined,
        async () => {
          const { cause } = await named("app.localhost", ["dead", "route configuration"]);
          expect(cause?.problem).toContain("IngressRoute default/app is missing");
        },
      );
      await healthy();
    });

    test("DNS resolution: deployed, and no record leads there", async () => {
      const partner = { enabled: true, base_domain: "partner.test", targets: ["192.0.2.1"] };
      const remote = config(SERVICES, { partner, people: [] });
      await stack.up(remote);
      const { cause } = await named("app.partner.test", ["dead", "DNS resolution"], remote);
      expect(cause?.evidence).toEqual([
        "the resolver returns ENOTFOUND",
        "DNSEndpoint gatehouse-diagnose-partner contains app.partner.test with 192.0.2.1",
      ]);
      await stack.up(config());
      await healthy();
    });
  });
}
