import { describe, expect, test } from "vitest";
import { service, middleware, rule, route, imported, entriesOf, reasonsOf, REPORTS, STAFF, HOST } from "./cluster.ts";
import { object } from "../checks/audit/cluster.ts";

describe("a route that an entry cannot express", () => {
  const main = rule(HOST, "reports-web", ["sso"]);
  const SECOND = service("apps/other");
  const cases: Record<string, [object[], object, string]> = {
    "several services": [
      [
        {
          ...main,
          services: [
            { name: "reports-web", port: 80 },
            { name: "other", port: 80 },
          ],
        },
      ],
      {},
      "its rule has 2 services, and an entry has one",
    ],
    "a matcher of headers": [
      [rule(`${HOST} && Header(\`X-Beta\`, \`1\`)`, "reports-web", ["sso"])],
      {},
      "its rule has the matcher header, and an entry selects requests by host only",
    ],
    "a pattern of hosts": [
      [rule("HostRegexp(`^.+[.]example[.]org$`)", "reports-web", ["sso"])],
      {},
      "its rule has the matcher hostregexp, and an entry selects requests by host only",
    ],
    "one path": [
      [rule(`${HOST} && PathPrefix(\`/a\`)`, "reports-web", ["sso"])],
      {},
      "no rule serves the whole host, and an entry does",
    ],
    "TLS options": [
      [main],
      { tls: { options: { name: "mtls" } } },
      "its tls.options has no equivalent (it can demand client certificates)",
    ],
    "another entry point": [
      [main],
      { entryPoints: ["internal"] },
      "it is on the entry point internal, which is neither web nor websecure",
    ],
    "a rate limit": [
      [rule(HOST, "reports-web", ["sso", "limit"])],
      {},
      "its Middleware apps/limit (rateLimit) has no equivalent",
    ],
    "a missing middleware": [
      [rule(HOST, "reports-web", ["gone"])],
      {},
      "its Middleware apps/gone does not exist or is none of the provider kubernetescrd",
    ],
    "a chain with an allowlist": [
      [rule(HOST, "reports-web", ["chained"])],
      {},
      "its Middleware apps/allowed (ipAllowList) has no equivalent",
    ],
    "an alias": [[rule(HOST, "alias", ["sso"])], {}, "its Service apps/alias is an ExternalName"],
    "two authentications": [[rule(HOST, "reports-web", ["sso", "users"])], {}, "it has several authentications"],
  };
  test.each(Object.entries(cases))("is reported with %s", (_, [rules, spec, reason]) => {
    const manifests = [
      ...REPORTS,
      SECOND,
      service("apps/alias", 80, { type: "ExternalName", externalName: "example.com" }),
      middleware("apps/limit", "rateLimit", { average: 5 }),
      middleware("apps/allowed", "ipAllowList", { sourceRange: ["10.0.0.0/8"] }),
      middleware("apps/chained", "chain", { middlewares: [{ name: "sso" }, { name: "allowed" }] }),
      middleware("apps/users", "basicAuth", { secret: "users" }),
    ];
    const found = imported([...manifests, route("apps/reports", rules, spec)], { identity: STAFF });
    expect([entriesOf(found), Object.values(reasonsOf(found)).flat()]).toEqual([[], [reason]]);
  });

  test.each([
    ["spec.ingressClassName", {}, { ingressClassName: "nginx" }],
    ["an annotation", { "kubernetes.io/ingress.class": "nginx" }, {}],
  ])("is reported with another class in %s, because Traefik does not load it", (_, annotations, spec) => {
    const found = route("apps/reports", [main], spec);
    const props = { ...found.props, metadata: { namespace: "apps", name: "reports", annotations } };
    const result = imported([...REPORTS, { ...found, props }], { identity: STAFF });
    expect([entriesOf(result), reasonsOf(result)]).toEqual([[], { [HOST]: ["its class is nginx, not traefik"] }]);
  });

  test("is written with the class of Traefik", () => {
    const found = route("apps/reports", [main], { ingressClassName: "traefik" });
    const annotations = { "kubernetes.io/ingress.class": "" };
    const props = { ...found.props, metadata: { namespace: "apps", name: "reports", annotations } };
    expect(imported([...REPORTS, { ...found, props }], { identity: STAFF }).entries.length).toBe(1);
  });

  test("keeps every route of its host", () => {
    const api = `${HOST} && PathPrefix(\`/api\`)`;
    const found = imported([...REPORTS, SECOND, route("apps/reports", [main, rule(api, "other", ["sso"])])], {
      identity: STAFF,
    });
    const reason = `${api} has another backend, and an entry has one`;
    expect(reasonsOf(found)).toEqual({ [HOST]: [reason], [api]: [reason] });
  });

  test("keeps a host that a pattern with the same or a higher priority serves", () => {
    const pattern = rule("HostRegexp(`^.+[.]example[.]org$`) && PathPrefix(`/.well-known/`)", "other", ["sso"]);
    const found = imported([...REPORTS, SECOND, route("apps/reports", [main]), route("apps/acme", [pattern])], {
      identity: STAFF,
    });
    expect(reasonsOf(found)[HOST]?.[0]).toMatch(
      /^another route may serve reports\.example\.org before it: IngressRoute apps\/acme/,
    );
    const low = imported(
      [...REPORTS, SECOND, route("apps/reports", [main]), route("apps/acme", [{ ...pattern, priority: 1 }])],
      {
        identity: STAFF,
      },
    );
    expect(low.entries.length).toBe(1);
  });

  test("keeps a path that a second rule protects below an open path", () => {
    const open = rule(`${HOST} && PathPrefix(\`/public\`)`, "reports-web");
    const inside = rule(`${HOST} && PathPrefix(\`/public/admin\`)`, "reports-web", ["sso"]);
    const found = imported([...REPORTS, route("apps/reports", [main, open, inside])], { identity: STAFF });
    expect(reasonsOf(found)[HOST]?.[0]).toMatch(/protects a part of the open path/);
  });

  test("opens no path if its priority is negative, since the protected rule is before it", () => {
    const open = rule(`${HOST} && PathPrefix(\`/assets\`)`, "reports-web", [], { priority: -1 });
    const found = imported([...REPORTS, route("apps/reports", [main, open])], { identity: STAFF });
    expect([entriesOf(found), reasonsOf(found)[HOST]?.[0]]).toEqual([
      [],
      `${HOST} && PathPrefix(\`/assets\`) is open, and its priority is not higher than that of the protected rule`,
    ]);
  });

  test("is behind a rule without a host if its priority is negative", () => {
    const everything = route("apps/maintenance", [rule("PathPrefix(`/`)", "other")]);
    const behind = route("apps/reports", [{ ...main, priority: -1 }]);
    const found = imported([...REPORTS, SECOND, everything, behind], { identity: STAFF });
    expect([entriesOf(found), reasonsOf(found)[HOST]]).toEqual([
      [],
      ["another route may serve reports.example.org before it: IngressRoute apps/maintenance: PathPrefix(`/`)"],
    ]);
  });

  test("is reported for TCP", () => {
    const tcp = object("traefik.io/v1alpha1", "IngressRouteTCP", "db/postgres", {
      spec: {
        entryPoints: ["postgres"],
        routes: [{ match: "HostSNI(`*`)", services: [{ name: "postgres", port: 5432 }] }],
      },
    });
    const found = imported([...REPORTS, tcp, route("apps/reports", [main])], { identity: STAFF });
    expect(reasonsOf(found)).toEqual({ "HostSNI(`*`)": ["Gatehouse routes HTTP only, not TCP"] });
    expect(found.entries.length).toBe(1);
  });
});
