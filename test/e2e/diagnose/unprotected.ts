/** Why a service answers who has not signed in. */
import type { EngineEvent } from "@pulumi/pulumi/automation/index.js";
import { describe, expect, test } from "vitest";
import { service } from "../ownPlatform.ts";
import { processes, signal } from "../programs.ts";
import { SERVICES, own, stack, diagnoser, config, named, healthy } from "./world.ts";
import { withObject, withOpenRoute } from "./breakages.ts";

/** Registers the tests; they run on the stack of `world.ts`, and leave it whole. */
export function unprotectedCauses(): void {
  describe("service not protected", () => {
    test("absent from protected_services: a route that somebody made by hand", async () => {
      await withOpenRoute("tools", "tools.localhost", async () => {
        const { cause } = await named("tools.localhost", ["unprotected", "absent from protected_services"]);
        expect(cause).toMatchObject({ problem: 'no entry of protected_services is named "tools"' });
        expect(cause?.evidence[1]).toBe(
          "IngressRoute default/tools serves it: Host(`tools.localhost`), middlewares: none",
        );
      });
    });

    test("domain not enabled: a listed service that answers on it", async () => {
      await withOpenRoute("other", "app.partner.localhost", async () => {
        const { cause } = await named("app.partner.localhost", ["unprotected", "domain not enabled"]);
        expect(cause?.evidence[0]).toBe("gatehouse:domains, partner: enabled is false");
      });
    });

    test("deployment failed: the entry is there, and its route could not be made", async () => {
      const later = config([...SERVICES, service("tools", {}, "nowhere")]);
      await withOpenRoute("tools", "tools.localhost", async () => {
        await expect(stack.up(later)).rejects.toThrow(/nowhere/);
        const expected = ["unprotected", "deployment", "also route configuration"];
        expect((await named("tools.localhost", expected, later)).cause?.problem).toBe("the last deployment run failed");
      });
      await stack.up(config());
      await healthy();
    });

    test("deployment interrupted: killed when it had made the first thing", async () => {
      const later = config([...SERVICES, service("late")]);
      const values = Object.entries(later).map(([key, value]) => {
        return [key, { value: typeof value === "string" ? value : JSON.stringify(value) }] as const;
      });
      await stack.stack.setAllConfig(Object.fromEntries(values));
      let killed = false;
      const onEvent = ({ resOutputsEvent }: EngineEvent): void => {
        if (killed || resOutputsEvent?.metadata.op !== "create") return;
        killed = true;
        signal(processes(own.platform, /pulumi up /), "SIGKILL");
      };
      await expect(stack.stack.up({ onEvent })).rejects.toThrow();
      try {
        // What was under way may have been made, or not: the host is dead, or asks an outpost that does not know it.
        const { diagnosis, code } = await diagnoser.run(later, ["late.localhost"]);
        expect([code, diagnosis.hosts[0]?.cause?.cause]).toEqual([1, "deployment"]);
        // Where the engine was killed between two things, its state tells of none that was under way.
        expect([
          "the last deployment run was interrupted",
          "it is in the configuration, but is not deployed",
        ]).toContain(diagnosis.hosts[0]?.cause?.problem);
      } finally {
        await stack.stack.cancel();
        await stack.up(config());
      }
      await healthy();
    });

    test("route configuration: the authentication was taken from the route", async () => {
      const change = (spec: { routes: { middlewares: { name: string }[] }[] }) => ({
        ...spec,
        routes: spec.routes.map((rule) => ({
          ...rule,
          middlewares: rule.middlewares.filter(({ name }) => name === "gatehouse-strip"),
        })),
      });
      await withObject("ingressroutes", ["default", "app"], change, async () => {
        const { cause } = await named("app.localhost", ["unprotected", "route configuration"]);
        expect(cause?.problem).toContain("lets everybody in: default/gatehouse-outpost-");
      });
      await healthy();
    });
  });
}
