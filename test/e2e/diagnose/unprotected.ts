/** Causes of a service that answers without a session. */
import type { EngineEvent } from "@pulumi/pulumi/automation/index.js";
import { describe, expect, test } from "vitest";
import { service } from "../../helpers/ownPlatform.ts";
import { processes, signal } from "../../helpers/programs.ts";
import { SERVICES, own, stack, diagnoser, config, named, healthy } from "./platform.ts";
import { providerOf, withObject, withOpenRoute, withRecord } from "./breakages.ts";
import { NO_OPEN_PATHS } from "../../../protections/forwardAuth.ts";
import { fullTest } from "../../helpers/fullTest.ts";

/** Registers the tests; they run on the stack of `platform.ts`, and leave it as planned. */
export function unprotectedCauses(): void {
  describe("service not protected", () => {
    test("names the missing entry for an unmanaged route", async () => {
      await withOpenRoute("tools", "tools.localhost", async () => {
        const { cause } = await named("tools.localhost", ["unprotected", "absent from protected_services"]);
        expect(cause).toMatchObject({ message: 'no entry of protected_services is named "tools"' });
        expect(cause?.evidence[1]).toBe(
          "IngressRoute default/tools serves it: Host(`tools.localhost`), middlewares: none",
        );
      });
    });

    test("names the domain when a listed service answers on a disabled one", async () => {
      await withOpenRoute("other", "app.partner.localhost", async () => {
        const { cause } = await named("app.partner.localhost", ["unprotected", "domain not enabled"]);
        expect(cause?.evidence[0]).toBe("gatehouse:domains, partner: enabled is false");
      });
    });

    fullTest("names the deployment when it failed to create the route", async () => {
      const later = config([...SERVICES, service("tools", {}, "nowhere")]);
      await withOpenRoute("tools", "tools.localhost", async () => {
        await expect(stack.up(later)).rejects.toThrow(/nowhere/);
        const expected = ["unprotected", "deployment", "also route configuration"];
        expect((await named("tools.localhost", expected, later)).cause?.message).toBe("the last deployment run failed");
      });
      await stack.up(config());
      await healthy();
    });

    fullTest("names the deployment when it was interrupted after its first creation", async () => {
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
        // The interrupted creation may have completed or not: the host does not work, or its outpost has no provider.
        const { diagnosis, code } = await diagnoser.run(later, ["late.localhost"]);
        expect([code, diagnosis.hosts[0]?.cause?.subject]).toEqual([1, "deployment"]);
        // If the engine was killed between two operations, its state has none that is pending.
        expect([
          "the last deployment run was interrupted",
          "it is in the configuration, but is not deployed",
        ]).toContain(diagnosis.hosts[0]?.cause?.message);
      } finally {
        await stack.stack.cancel();
        await stack.up(config());
      }
      await healthy();
    });

    test("names the provider when it has unauthenticated paths", async () => {
      const path = `/providers/proxy/${await providerOf("app-localhost")}/`;
      // authentik requires `mode` in every write.
      const paths = (skip_path_regex: string) => ({ mode: "forward_single", skip_path_regex });
      await withRecord(path, paths(".*"), paths(NO_OPEN_PATHS), async () => {
        const { cause } = await named("app.localhost", ["unprotected", "provider configuration"]);
        expect(cause?.hint).toMatch(/ --refresh restores the planned state$/);
      });
      await healthy();
    });

    test("names the route when its authentication was removed", async () => {
      const change = (spec: { routes: { middlewares: { name: string }[] }[] }) => ({
        ...spec,
        routes: spec.routes.map((rule) => ({
          ...rule,
          middlewares: rule.middlewares.filter(({ name }) => name === "gatehouse-strip"),
        })),
      });
      await withObject("ingressroutes", ["default", "app"], change, async () => {
        const { cause } = await named("app.localhost", ["unprotected", "route configuration"]);
        expect(cause?.message).toContain("is open to everyone: default/gatehouse-outpost-");
      });
      await healthy();
    });
  });
}
