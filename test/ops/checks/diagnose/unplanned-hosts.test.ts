/** A host that the plan does not have, and what concerns the stack as a whole. */
import { expect, test } from "vitest";
import type { Evidence } from "../../../../ops/checks/diagnose/evidence.ts";
import { diagnoseAll, diagnoseHost, type HostDiagnosis } from "../../../../ops/checks/diagnose/diagnosis.ts";
import { brief, inside, type Open, trail, world } from "./world.ts";

/** Asks for a host of no exposure that answers so. */
function stranger(
  host: string,
  status: number,
  change: (evidence: Open<Evidence>) => void = () => undefined,
): HostDiagnosis {
  const url = `http://${host}`;
  const text = status === 404 ? "gateway: no route" : "other";
  const found = {
    withoutSession: trail([[status, `${url}/`]], { text }),
    withSession: undefined,
  };
  const evidence = world((all) => {
    all.answers.set(url, found as never);
    change(all);
  });
  const [only] = diagnoseHost(host, url, evidence).hosts;
  if (only === undefined) throw new Error("no host was diagnosed");
  return only;
}

test.each([
  [
    "wiki.example.net",
    404,
    ["dead", "domain not enabled"],
    'domain "external" is not enabled, so nothing is exposed on wiki.example.net',
  ],
  [
    "wiki.example.net",
    200,
    ["unprotected", "domain not enabled"],
    'domain "external" is not enabled, so nothing is exposed on wiki.example.net',
  ],
  [
    "tools.localhost",
    200,
    ["unprotected", "absent from protected_services"],
    'no entry of protected_services is named "tools"',
  ],
  [
    "tools.localhost",
    404,
    ["dead", "absent from protected_services"],
    'no entry of protected_services is named "tools"',
  ],
  [
    "tools.example.net",
    200,
    ["unprotected", "absent from protected_services", "also domain not enabled"],
    'no entry of protected_services is named "tools"',
  ],
  [
    "tools.example.net",
    404,
    ["dead", "domain not enabled", "also absent from protected_services"],
    'domain "external" is not enabled, so nothing is exposed on tools.example.net',
  ],
  [
    "shop.mesh.example.org",
    404,
    ["dead", "absent from protected_services"],
    'the entry "shop" does not name domain "mesh"',
  ],
  ["wiki.elsewhere.org", 404, ["dead", "domain not enabled"], "wiki.elsewhere.org is not below a base domain"],
])("%s, which answers %i", (host, status, expected, problem) => {
  const found = stranger(host, status);
  expect(brief(found)).toEqual(expected);
  expect(found.cause?.problem).toBe(problem);
});

test("the one that was meant is suggested", () => {
  expect(stranger("wikki.localhost", 404).cause?.hint).toBe("did you mean wiki.localhost?");
  expect(stranger("unheard-of.localhost", 404).cause?.hint).toBe(
    'add an entry "unheard-of" to gatehouse:protected_services, and run ./deploy rancher-desktop',
  );
});

test("what serves it nevertheless is told", () => {
  const found = stranger("tools.localhost", 200, ({ cluster, engine }) => {
    const rule = {
      match: "Host(`tools.localhost`)",
      priority: 23,
      middlewares: [],
      backends: [],
      passHostHeader: true,
    };
    inside(cluster.routes).push({ namespace: "tools", name: "tools", entryPoints: [], rules: [rule] });
    inside(engine).urls?.push("http://tools.localhost");
  });
  expect(found.cause?.evidence).toEqual([
    "it has wiki, shop, grafana, legacy",
    "IngressRoute tools/tools serves it: Host(`tools.localhost`), middlewares: none",
    "it is in the last deployment, but no longer in the configuration",
  ]);
});

/** Causes of the stack as a whole. */
function stackCauses(change: (evidence: Open<Evidence>) => void): string[] {
  return diagnoseAll(world(change)).stackFindings.map(({ cause }) => cause);
}

test("a run that failed is told where no host shows it", () => {
  expect(
    stackCauses(({ engine }) => void (inside(engine).last = { kind: "update", result: "failed", ended: "" })),
  ).toEqual(["deployment"]);
  expect(stackCauses(({ engine }) => void (inside(engine).pending = ["wiki-route"]))).toEqual(["deployment"]);
});

test("reports a Traefik version with a known vulnerability", () => {
  expect(stackCauses(({ cluster }) => void (cluster.traefik = { seen: "3.7.2" }))).toEqual(["version of Traefik"]);
  expect(stackCauses(({ cluster }) => void (cluster.traefik = { seen: "3.7.3" }))).toEqual([]);
  expect(stackCauses(({ cluster }) => void (cluster.traefik = { seen: undefined }))).toEqual([]);
});

test("pods that do not find *.localhost are told", () => {
  expect(stackCauses(({ cluster }) => void (inside(cluster.dns).rewrite = undefined))).toEqual([
    "names inside the cluster",
  ]);
  expect(stackCauses(({ cluster }) => void (inside(cluster.dns).rewrite = "rewrite to.elsewhere"))).toEqual([
    "names inside the cluster",
  ]);
});

test("what the plan skipped is repeated", () => {
  expect(diagnoseAll(world()).warnings).toContain(
    'protected_services[1] "shop": domain "external" is not enabled; skipped there',
  );
});

test("what was not seen limits the answer, and names no cause", () => {
  const blind = { unseen: "the cluster's routes: connect ECONNREFUSED" };
  const { hosts, limits } = diagnoseAll(
    world((evidence) => {
      const { cluster } = evidence;
      Object.assign(cluster, {
        routes: blind,
        middlewares: blind,
        services: blind,
        dns: blind,
        serverSettings: blind,
        traefik: blind,
      });
      Object.assign(evidence, { identity: { unseen: "its records: 403" }, ownOrigin: { unseen: "its origin: 404" } });
      Object.assign(evidence, { engine: { unseen: "the engine's state: no passphrase" } });
      for (const found of evidence.answers.values()) found.withSession = undefined;
    }),
  );
  expect(hosts.filter((host) => brief(host).join() !== "none,none")).toEqual([]);
  expect(limits).toEqual([
    "the cluster: connect ECONNREFUSED; so routes, middlewares, pods and records are not compared with the plan",
    "its records: 403; so providers, applications, outposts and groups are not compared with the plan",
    "its origin: 404; so its trusted origin is not checked",
    "the engine's state: no passphrase; so the result of the last deployment is not known",
    "no user's password is known, so there was no sign-in: a redirect loop after the login is found only by comparing with the plan",
  ]);
});

test("one part of the cluster that is forbidden is told alone", () => {
  const { limits } = diagnoseAll(
    world(({ cluster }) => void (cluster.services = { unseen: "the cluster's Services and pods: forbidden" })),
  );
  expect(limits).toEqual([
    "the cluster's Services and pods: forbidden; so pods of applications and of the identity provider are not checked",
  ]);
});
