/** Unplanned hosts, and causes that concern the stack as a whole. */
import { describe, expect, test } from "vitest";
import type { Evidence } from "../../../../ops/checks/diagnose/evidence.ts";
import { diagnosisOf, type HostDiagnosis } from "../../../../ops/checks/diagnose/diagnosis.ts";
import { ingressRoute } from "../audit/cluster.ts";
import { brief, evidenceOf, inside, type Open, trail } from "./evidence.ts";

/** Diagnoses an unplanned host with this answer. */
function diagnosedHost(
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
  const evidence = evidenceOf((all) => {
    all.answers.set(url, found as never);
    change(all);
  });
  const [only] = diagnosisOf(evidence, host, url).hosts;
  if (only === undefined) throw new Error("no host was diagnosed");
  return only;
}

test.each([
  [
    "wiki.example.net",
    404,
    ["not-working", "domain not enabled"],
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
    ["not-working", "absent from protected_services"],
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
    ["not-working", "domain not enabled", "also absent from protected_services"],
    'domain "external" is not enabled, so nothing is exposed on tools.example.net',
  ],
  [
    "shop.mesh.example.org",
    404,
    ["not-working", "absent from protected_services"],
    'the entry "shop" does not name domain "mesh"',
  ],
  ["wiki.elsewhere.org", 404, ["not-working", "domain not enabled"], "wiki.elsewhere.org is not below a base domain"],
])("explains %s, which answers %i", (host, status, expected, problem) => {
  const found = diagnosedHost(host, status);
  expect(brief(found)).toEqual(expected);
  expect(found.cause?.message).toBe(problem);
});

test("reports an unplanned host that redirects to the login, but not as unprotected", () => {
  const found = diagnosedHost("tools.localhost", 302, ({ answers }) => {
    const login = "http://authentik.localhost/if/flow/default-authentication-flow/";
    const hops = [[302, "http://tools.localhost/"] as const, [200, login] as const];
    answers.set("http://tools.localhost", { withoutSession: trail(hops), withSession: undefined } as never);
  });
  expect(brief(found)).toEqual(["none", "absent from protected_services"]);
});

test("suggests the host that was probably meant", () => {
  expect(diagnosedHost("wikki.localhost", 404).cause?.hint).toBe("did you mean wiki.localhost?");
  expect(diagnosedHost("unheard-of.localhost", 404).cause?.hint).toBe(
    'add an entry "unheard-of" to gatehouse:protected_services, and run npx gatehouse deploy rancher-desktop',
  );
});

test("reports the route that serves an unplanned host, without the value of a header", () => {
  const found = diagnosedHost("tools.localhost", 200, ({ cluster, engine }) => {
    const route = ingressRoute("tools/tools", "Host(`tools.localhost`) && Header(`X-CDN`, `canary`)");
    inside(cluster.objects).manifests.push(route);
    inside(engine).urls?.push("http://tools.localhost");
  });
  expect(found.cause?.evidence).toEqual([
    "it has wiki, shop, grafana, legacy",
    "IngressRoute tools/tools serves it: Host(`tools.localhost`) && Header(`X-CDN`, `…`), middlewares: none",
    "it is in the last deployment, but no longer in the configuration",
  ]);
});

describe("the host of identity_provider.url", () => {
  const LOGIN = "https://login.mesh.example.org";
  const NOT_ROUTED = "it is the host of identity_provider.url, which Gatehouse does not route";

  /** Diagnoses it with these responses, and an IngressRoute that serves it. */
  function diagnosedLogin(...[hops, rest]: Parameters<typeof trail>): HostDiagnosis[] {
    const existing = { install: false, url: LOGIN, token: "${TOKEN}" };
    const evidence = evidenceOf(({ answers, cluster }) => {
      answers.set(LOGIN, { withoutSession: trail(hops, rest), withSession: undefined } as never);
      inside(cluster.objects).manifests.push(ingressRoute("sso/authentik", "Host(`login.mesh.example.org`)"));
    }, existing);
    return [...diagnosisOf(evidence, "login.mesh.example.org", LOGIN).hosts];
  }

  test("has neither a symptom nor a cause when its login page is reached", () => {
    const page = "/if/flow/default-authentication-flow/";
    const found = diagnosedLogin([
      [302, `${LOGIN}/`],
      [200, LOGIN + page],
    ]);
    const observed = `302 login.mesh.example.org/ → 200 login.mesh.example.org${page}; ${NOT_ROUTED}`;
    expect(found).toEqual([{ url: LOGIN, symptom: { kind: "none", observed }, cause: undefined, also: [] }]);
  });

  test.each<[string, ...Parameters<typeof trail>]>([
    ["not-working", [[404, `${LOGIN}/`]], { text: "gateway: no route" }],
    ["not-working", [], { end: { error: "ECONNREFUSED" } }],
    ["not-working", [[200, `${LOGIN}/`]]],
    ["unavailable", [[502, `${LOGIN}/`]]],
  ])("is %s with %j, and no hint adds an entry or deletes its route", (symptom, hops, rest) => {
    expect(diagnosedLogin(hops, rest)).toMatchObject([
      {
        symptom: { kind: symptom },
        cause: {
          subject: "route configuration",
          message: NOT_ROUTED,
          evidence: [
            `gatehouse:identity_provider, url: ${LOGIN}`,
            "IngressRoute sso/authentik serves it: Host(`login.mesh.example.org`), middlewares: none",
          ],
          hint: "check authentik, its route and its DNS record; if browsers use another address, correct identity_provider.url",
        },
        also: [],
      },
    ]);
  });
});

/** Causes of the stack as a whole. */
function stackCauses(change: (evidence: Open<Evidence>) => void): string[] {
  return diagnosisOf(evidenceOf(change)).stackFindings.map(({ subject }) => subject);
}

test("reports a failed deployment for the stack if no host is affected", () => {
  expect(
    stackCauses(({ engine }) => void (inside(engine).last = { kind: "update", result: "failed", ended: "" })),
  ).toEqual(["deployment"]);
  expect(stackCauses(({ engine }) => void (inside(engine).pending = ["wiki-route"]))).toEqual(["deployment"]);
});

test("reports that pods cannot resolve *.localhost", () => {
  expect(stackCauses(({ cluster }) => void (cluster.rewrite = { value: undefined }))).toEqual([
    "names inside the cluster",
  ]);
  expect(stackCauses(({ cluster }) => void (cluster.rewrite = { value: "rewrite to.elsewhere" }))).toEqual([
    "names inside the cluster",
  ]);
});

test("repeats the warnings of the plan", () => {
  expect(diagnosisOf(evidenceOf()).warnings).toContain(
    'protected_services[1] "shop": domain "external" is not enabled; skipped there',
  );
});

test("names no cause without evidence, and reports the limits", () => {
  const blind = { unavailable: "the cluster's objects: connect ECONNREFUSED" };
  const { hosts, limits } = diagnosisOf(
    evidenceOf((evidence) => {
      const { cluster } = evidence;
      Object.assign(cluster, {
        objects: blind,
        secrets: blind,
        rewrite: blind,
      });
      Object.assign(evidence, {
        identity: { unavailable: "its records: 403" },
        ownOrigin: { unavailable: "its origin: 404" },
      });
      Object.assign(evidence, { engine: { unavailable: "the engine's state: no passphrase" } });
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

test("reports each part of the cluster that is forbidden", () => {
  const { limits } = diagnosisOf(
    evidenceOf(({ cluster }) => {
      inside(cluster.objects).unread.set("Pod", "forbidden");
      cluster.secrets = { unavailable: "the cluster's Secrets of basic auth: forbidden" };
    }),
  );
  expect(limits).toEqual([
    "every Pod: forbidden; so it is not compared with the plan",
    "the cluster's Secrets of basic auth: forbidden; so Secrets of basic auth are not checked",
  ]);
});
