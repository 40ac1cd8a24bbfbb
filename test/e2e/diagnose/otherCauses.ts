/** The other causes of docs/diagnose.md, and a diagnosis with half of the evidence. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { parse, stringify } from "yaml";
import type { Kubeconfig } from "../../../local/platform/api.ts";
import { own, diagnoser, config, named, healthy, brief } from "./platform.ts";
import { freePort } from "../../../local/platform/ports.ts";
import { scale, withExternalHost, withRecord } from "./breakages.ts";

/** Registers the tests; they run on the stack of `platform.ts`, and leave it as planned. */
export function otherCauses(): void {
  describe("other causes", () => {
    test("names the application when it has no pod", async () => {
      await scale("default", "whoami", 0);
      try {
        const { cause } = await named("app.localhost", ["unavailable", "application not running"]);
        expect(cause?.message).toBe("no pod of Service default/whoami is ready");
      } finally {
        await scale("default", "whoami", 1);
      }
      await healthy();
    });

    test("names the groups when the binding of a group is missing", async () => {
      const filter = { superuser_full_list: "true", slug: "team-localhost" };
      const applications = await own.administrator.all<{ pk: string; slug: string }>("/core/applications/", filter);
      const team = applications.find(({ slug }) => slug === "team-localhost");
      const bindings = await own.administrator.all<{ pk: string; target: string; policy: string }>(
        "/policies/bindings/",
      );
      const bound = bindings.find(({ target }) => target === team?.pk);
      // authentik requires both in every write.
      const required = { target: bound?.target, policy: bound?.policy };
      const [disabled, enabled] = [false, true].map((value) => ({ ...required, enabled: value }));
      await withRecord(`/policies/bindings/${bound?.pk}/`, disabled ?? {}, enabled ?? {}, async () => {
        const { cause } = await named("team.localhost", ["none", "groups"]);
        expect(cause?.message).toBe('application "team-localhost" is bound to no group, so it admits every user');
      });
      await healthy();
    });

    test("names the identity provider when it is stopped, and reports that its records are not available", async () => {
      for (const name of ["authentik-server", "authentik-worker"]) await scale("authentik", name, 0);
      await named("app.localhost", ["sign-in", "identity provider not running"]);
      const { diagnosis } = await diagnoser.run(config());
      expect(diagnosis.limits.some((line) => line.startsWith("the identity provider's records: "))).toBe(true);
      for (const name of ["authentik-server", "authentik-worker"]) await scale("authentik", name, 1);
      await healthy();
    });

    test("diagnoses the rest when the API server cannot be reached", async () => {
      const closed = join(own.platform.data, "closed-kubeconfig");
      const kubeconfig = parse(readFileSync(own.platform.kubeconfig, "utf8")) as Kubeconfig;
      const port = await freePort();
      kubeconfig.clusters[0].cluster.server = `https://127.0.0.1:${port}`;
      writeFileSync(closed, stringify(kubeconfig));
      const observe = async (): Promise<void> => {
        const { code, diagnosis } = await diagnoser.run(config(), [], { KUBECONFIG: closed });
        expect(diagnosis.limits).toEqual([
          `the cluster: connect ECONNREFUSED 127.0.0.1:${port}; so routes, middlewares, pods and records are not compared with the plan`,
        ]);
        expect({ code, wrong: diagnosis.hosts.filter(({ cause }) => cause) }).toEqual({ code: 0, wrong: [] });
      };
      // On a busy machine, the engine does not answer within the time of one observation.
      await vi.waitFor(observe, { timeout: 240_000, interval: 500 });
      const [right, wrong] = [own.origin("app.localhost"), own.origin("apps.localhost")];
      await withExternalHost("app-localhost", wrong, right, async () => {
        const broken = await diagnoser.run(config(), ["app.localhost"], { KUBECONFIG: closed });
        expect(broken.diagnosis.hosts.map(brief)).toEqual([["sign-in", "provider configuration"]]);
      });
      await healthy();
    });
  });
}
