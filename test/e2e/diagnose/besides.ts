/** What the spec's table leaves out, and what is left to say when half of it cannot be reached. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import type { Kubeconfig } from "../../../local/platform/api.ts";
import { own, diagnoser, config, named, healthy, brief } from "./world.ts";
import { freePort } from "../../../local/platform/ports.ts";
import { scale, withExternalHost, withRecord } from "./breakages.ts";

/** Registers the tests; they run on the stack of `world.ts`, and leave it whole. */
export function otherCauses(): void {
  describe("what the three leave out", () => {
    test("the application has no pod", async () => {
      await scale("default", "whoami", 0);
      const found = named("app.localhost", ["unavailable", "application not running"]);
      const { cause } = await found.finally(() => scale("default", "whoami", 1));
      expect(cause?.problem).toBe("no pod of Service default/whoami is ready");
      await healthy();
    });

    test("nobody is kept out any more: the group's binding is gone", async () => {
      const filter = { superuser_full_list: "true", slug: "team-localhost" };
      const applications = await own.administrator.all<{ pk: string; slug: string }>("/core/applications/", filter);
      const team = applications.find(({ slug }) => slug === "team-localhost");
      const bindings = await own.administrator.all<{ pk: string; target: string }>("/policies/bindings/");
      const bound = bindings.find(({ target }) => target === team?.pk);
      await withRecord(`/policies/bindings/${bound?.pk}/`, { enabled: false }, { enabled: true }, async () => {
        const { cause } = await named("team.localhost", ["none", "groups"]);
        expect(cause?.problem).toBe('application "team-localhost" is bound to no group, so it admits every user');
      });
      await healthy();
    });

    test("the identity provider is stopped: named, and what it could have told is told to be missing", async () => {
      for (const name of ["authentik-server", "authentik-worker"]) await scale("authentik", name, 0);
      await named("app.localhost", ["sign-in", "identity provider not running"]);
      const { diagnosis } = await diagnoser.run(config());
      expect(diagnosis.limits.some((line) => line.startsWith("the identity provider's records: "))).toBe(true);
      for (const name of ["authentik-server", "authentik-worker"]) await scale("authentik", name, 1);
      await healthy();
    });

    test("the API server cannot be reached: the rest is still looked at", async () => {
      const closed = join(own.platform.data, "closed-kubeconfig");
      const kubeconfig = parse(readFileSync(own.platform.kubeconfig, "utf8")) as Kubeconfig;
      const port = await freePort();
      kubeconfig.clusters[0].cluster.server = `https://127.0.0.1:${port}`;
      writeFileSync(closed, stringify(kubeconfig));
      const { code, diagnosis } = await diagnoser.run(config(), [], { KUBECONFIG: closed });
      expect(diagnosis.limits).toEqual([
        `the cluster: connect ECONNREFUSED 127.0.0.1:${port}; so routes, middlewares, pods and records are not compared with the plan`,
      ]);
      expect({ code, wrong: diagnosis.hosts.filter(({ cause }) => cause) }).toEqual({ code: 0, wrong: [] });
      const [right, wrong] = [own.origin("app.localhost"), own.origin("apps.localhost")];
      await withExternalHost("app@localhost", wrong, right, async () => {
        const broken = await diagnoser.run(config(), ["app.localhost"], { KUBECONFIG: closed });
        expect(broken.diagnosis.hosts.map(brief)).toEqual([["sign-in", "provider configuration"]]);
      });
      await healthy();
    });
  });
}
