import { describe, expect, test } from "vitest";
import {
  authentik,
  entriesOf,
  imported,
  ingress,
  middleware,
  OUTPOST_PK,
  proxies,
  reasonsOf,
  route,
  rule,
  service,
  withClient,
} from "./cluster.ts";
import { object } from "../checks/audit/cluster.ts";

const REPORTS = [service("apps/reports-web"), authentik("apps/sso")];
const STAFF = proxies({ slug: "reports", host: "reports.example.org", groups: ["staff", "admins"] });
const HOST = "Host(`reports.example.org`)";

describe("forward auth of authentik", () => {
  test("becomes type proxy with the groups, session and backend of the application", () => {
    const found = imported([...REPORTS, route("apps/reports", [rule(HOST, "reports-web", ["sso"])])], {
      identity: STAFF,
    });
    expect(entriesOf(found)).toEqual([
      {
        ...{ name: "reports", type: "proxy", domains: ["example-org"], application_slug: "reports" },
        ...{ groups: ["admins", "staff"], session: "hours=24" },
        service: { name: "reports-web", namespace: "apps", port: 80 },
      },
    ]);
    expect(found.kinds).toEqual([{ kind: "example-org", baseDomain: "example.org", protocol: "http", tls: undefined }]);
    expect(found.differences.get("reports.example.org")?.toSorted()).toEqual([
      "API and background requests without a session get 401 instead of a redirect to the login",
      "clients can send the identity headers that authentik no longer sets: change the application to X-idp-* before the deployment",
      "during the deployment it answers 500 or 400 for some seconds, until the new outpost serves it",
      "sessions start anew, without a login for users who are signed in at authentik",
      "the application receives X-idp-* headers, and from Middleware apps/sso no longer X-authentik-username",
    ]);
    expect(found.unmapped.size).toBe(0);
  });

  test("gets a slug that is the name of no provider", () => {
    const provider = { name: "reports-example-org" };
    const found = imported([...REPORTS, route("apps/reports", [rule(HOST, "reports-web", ["sso"])])], {
      identity: proxies({ slug: "reports", host: "reports.example.org", provider }),
    });
    expect(found.entries.map(({ fields }) => fields)).toMatchObject([{ application_slug: "reports-2" }]);
  });

  test("replaces the route of the outpost's path as well", () => {
    const callback = rule(`${HOST} && PathPrefix(\`/outpost.goauthentik.io/\`)`, "authentik-server");
    const outpost = [service("authentik/authentik-server"), route("authentik/reports-outpost", [callback])];
    const main = route("apps/reports", [rule(HOST, "reports-web", ["sso"])]);
    const found = imported([...REPORTS, ...outpost, main], { identity: STAFF });
    expect(found.mapped.map(({ manifest }) => manifest.label)).toEqual([
      "IngressRoute authentik/reports-outpost",
      "IngressRoute apps/reports",
    ]);
  });

  test("opens paths that a rule without authentication or the provider leaves open", () => {
    const identity = proxies({
      ...{ slug: "reports", host: "reports.example.org" },
      provider: { skip_path_regex: "^/healthz$\n^/api/.*\n^/static" },
    });
    const open = rule(`${HOST} && PathPrefix(\`/assets/\`)`, "reports-web");
    const found = imported([...REPORTS, route("apps/reports", [rule(HOST, "reports-web", ["sso"]), open])], {
      identity,
    });
    expect(found.entries.map(({ fields }) => fields["public_paths"])).toEqual([["/api/", "/static", "/assets/"]]);
    expect(found.differences.get("reports.example.org")?.slice(5)).toEqual([
      "the open paths ^/healthz$ require a session, because no path prefix opens only them",
      "of the open paths ^/static only /static and /static/… stay open",
    ]);
  });

  test.each([
    ["the whole URL (forward_domain)", "^/api/.*", { mode: "forward_domain", cookie_domain: "example.org" }],
    ["spaces", "^/api/.* ", {}],
  ])("opens no path of a pattern that is compared with %s", (_, pattern, provider) => {
    const identity = proxies({
      ...{ slug: "reports", host: "reports.example.org" },
      provider: { ...provider, skip_path_regex: pattern },
    });
    const found = imported([...REPORTS, route("apps/reports", [rule(HOST, "reports-web", ["sso"])])], { identity });
    expect(found.entries.map(({ fields }) => fields["public_paths"])).toEqual([undefined]);
    expect(found.differences.get("reports.example.org")).toContain(
      `the open paths ${pattern} require a session, because no path prefix opens only them`,
    );
  });

  const refused = {
    "a policy": [
      { bindings: [{ policy: "expression" }] },
      'its application "reports" of authentik has a policy; an entry has groups only',
    ],
    "a user": [
      { bindings: [{ user: 7 }] },
      'its application "reports" of authentik is bound to a user; an entry has groups only',
    ],
    "a negated binding": [
      { bindings: [{ group: "pk-staff", negate: true }], groups: ["staff"] },
      'its application "reports" of authentik has a negated binding',
    ],
    "all groups": [
      { groups: ["a", "b"], application: { policy_engine_mode: "all" } },
      'its application "reports" of authentik requires all of its groups; an entry allows users of any one',
    ],
    "a custom flow": [
      { provider: { authorization_flow: "custom" } },
      'provider "Provider of reports" of authentik has the flow "terms-of-use"',
    ],
    "a proxy in the outpost": [
      { provider: { mode: "proxy" } },
      'its provider "Provider of reports" of authentik proxies requests itself',
    ],
    "another host": [{ host: "other.example.org" }, "authentik has no proxy provider for its host"],
  } as const;
  test.each(Object.entries(refused))("is not imported with %s", (_, [fields, reason]) => {
    const identity = proxies({ slug: "reports", host: "reports.example.org", ...fields });
    const found = imported([...REPORTS, route("apps/reports", [rule(HOST, "reports-web", ["sso"])])], { identity });
    expect([entriesOf(found), reasonsOf(found)]).toEqual([[], { [HOST]: [reason] }]);
  });

  test("is not imported if authentik was not read, because the groups are not known", () => {
    const found = imported([...REPORTS, route("apps/reports", [rule(HOST, "reports-web", ["sso"])])], {
      identity: "no token",
    });
    expect(reasonsOf(found)).toEqual({ [HOST]: ["the groups of its application are not known: no token"] });
  });
});

describe("an outpost that serves the host itself", () => {
  const uuid = OUTPOST_PK.replaceAll("-", "");
  const labels = { "goauthentik.io/outpost-uuid": uuid, "app.kubernetes.io/managed-by": "goauthentik.io" };
  const metadata = { namespace: "authentik", name: "ak-outpost", labels };
  const OUTPOST = [service("apps/reports-web"), { ...service("authentik/ak-outpost", 9000), props: { metadata } }];
  const manifests = [...OUTPOST, ingress("authentik/ak-outpost", "reports.example.org", "ak-outpost", {}, "/", 9000)];
  const records = (provider: object) =>
    proxies({
      slug: "reports",
      host: "reports.example.org",
      groups: ["staff"],
      provider: { mode: "proxy", ...provider },
    });
  const internal = { internal_host: "http://reports-web.apps.svc.cluster.local" };

  test("becomes type proxy with the Service that its provider requests", () => {
    const found = imported(manifests, { identity: records(internal) });
    expect(found.entries.map(({ fields }) => fields)).toMatchObject([
      { type: "proxy", groups: ["staff"], service: { name: "reports-web", namespace: "apps", port: 80 } },
    ]);
    expect(found.differences.get("reports.example.org")).toContain(
      "the application receives requests from Traefik, with X-idp-* headers, and no longer X-authentik-* and additionalHeaders of users and groups",
    );
  });

  test("also if it is the embedded one, whose Service the Helm chart creates", () => {
    const selector = { "app.kubernetes.io/name": "authentik", "app.kubernetes.io/component": "server" };
    const server = service("authentik/server", 80, { selector });
    const embedded = route("authentik/reports", [rule(HOST, "server")]);
    const found = imported([...OUTPOST, server, embedded], { identity: records(internal) });
    expect(found.entries.map(({ fields }) => fields["service"])).toMatchObject([{ name: "reports-web" }]);
  });

  test.each([
    ["https://reports-web.apps", "the internal host reports-web.apps of its provider is reached over HTTPS"],
    ["http://reports-web.apps/path", "the internal host reports-web.apps of its provider has a path"],
    ["http://reports-web", "the internal host reports-web of its provider names no Service with its namespace"],
    ["http://u:p@192.0.2.1", "the internal host 192.0.2.1 of its provider names no Service with its namespace"],
    ["http://pods.apps", "the internal host pods.apps of its provider is a headless Service"],
    ["http://reports-web.apps:81", "its Service apps/reports-web has no port 81"],
  ])("is not imported with %s", (url, reason) => {
    const headless = service("apps/pods", 80, { clusterIP: "None" });
    const found = imported([...manifests, headless], { identity: records({ internal_host: url }) });
    expect(Object.values(reasonsOf(found))).toEqual([[reason]]);
  });

  test("is not imported if its scope mappings can choose another backend", () => {
    const scopes = [{ pk: "own", scope_name: "ak_proxy" }];
    const found = imported(manifests, {
      identity: { ...records({ ...internal, property_mappings: ["own"] }), scopes },
    });
    expect(Object.values(reasonsOf(found))).toEqual([
      [
        'its provider "Provider of reports" of authentik has custom scope mappings, which can choose another backend (ak_proxy.backend_override)',
      ],
    ]);
  });

  test("is not imported if its provider is in another outpost", () => {
    const identity = records(internal);
    const outposts = identity.outposts.map((outpost) => ({ ...outpost, pk: "another", managed: null }));
    expect(Object.values(reasonsOf(imported(manifests, { identity: { ...identity, outposts } })))).toEqual([
      ['its provider "Provider of reports" of authentik is in another outpost than that of its route'],
    ]);
  });

  test.each([
    ["no provider", proxies()],
    ["records that were not read", "no token"],
  ])("is authentik itself with %s", (_, identity) => {
    const selector = { "app.kubernetes.io/name": "authentik", "app.kubernetes.io/component": "server" };
    const login = route("authentik/login", [rule("Host(`login.example.org`)", "server")]);
    const found = imported([service("authentik/server", 80, { selector }), login], { identity });
    expect(Object.values(reasonsOf(found))).toEqual([
      ["its backend is the server of authentik, which gatehouse:identity_provider is about"],
    ]);
  });

  test("is not imported if its provider leaves requests to the gateway", () => {
    const found = imported(manifests, { identity: records({ mode: "forward_single", ...internal }) });
    expect(Object.values(reasonsOf(found))).toEqual([
      ['its backend is an outpost, but its provider "Provider of reports" of authentik proxies no requests'],
    ]);
  });

  test("is no outpost because authentik has a provider for its host", () => {
    const open = [service("apps/reports-web"), route("apps/reports", [rule(HOST, "reports-web")])];
    const found = imported(open, { identity: records(internal) });
    expect(found.entries).toEqual([]);
    expect(reasonsOf(found)[HOST]?.[0]).toMatch(/^it is open to everyone/);
  });
});

test("basic auth of one user becomes type basic, and its password a variable", () => {
  const auth = middleware("apps/users", "basicAuth", { secret: "users", removeHeader: true });
  const users = new Map([["apps/users", ["ops"]]]);
  const match = "Host(`legacy.localhost`)";
  const manifests = [service("apps/legacy"), auth, route("apps/old", [rule(match, "legacy", ["users"])])];
  const found = imported(manifests, { users });
  expect(entriesOf(found)).toEqual([
    {
      ...{ name: "legacy", type: "basic", domains: ["localhost"] },
      basic_auth: { username: "ops", password: "${LEGACY_PASSWORD}" },
      service: { namespace: "apps", port: 80 },
    },
  ]);
  const two = imported(manifests, { users: new Map([["apps/users", ["ops", "dev"]]]) });
  expect(reasonsOf(two)).toEqual({ [match]: ["its Secret apps/users has 2 users, and an entry has one"] });
});

describe("a route without authentication", () => {
  const match = "Host(`grafana.example.org`)";
  const manifests = [
    service("apps/grafana"),
    route("apps/grafana", [rule(match, "grafana")], { entryPoints: ["websecure"], tls: {} }),
  ];
  const identity = withClient(proxies(), "grafana", "https://grafana.example.org/login/generic_oauth");

  test("becomes type oauth2 if the application is a client, with a slug of its own", () => {
    const found = imported(manifests, { identity });
    expect(entriesOf(found)).toEqual([
      {
        ...{ name: "grafana", type: "oauth2", domains: ["example-org"], application_slug: "grafana-2" },
        oauth_config: {
          ...{ client_id: "${GRAFANA_CLIENT_ID}", client_secret: "${GRAFANA_CLIENT_SECRET}" },
          ...{
            redirect_uri: "/login/generic_oauth",
            access_token_validity: "minutes=5",
            refresh_token_validity: "days=30",
          },
          subject_mode: "user_username",
        },
        service: { namespace: "apps", port: 80 },
      },
    ]);
    expect(found.kinds).toEqual([
      { kind: "example-org", baseDomain: "example.org", protocol: "https", tls: { termination: "default" } },
    ]);
    expect(found.differences.get("grafana.example.org")).toEqual(["requests over HTTP are redirected to HTTPS"]);
  });

  test("is not imported if the application is no client: no type of protected_services is open", () => {
    const found = imported(manifests);
    expect(entriesOf(found)).toEqual([]);
    expect(reasonsOf(found)[match]?.[0]).toMatch(/^it is open to everyone, and no type of protected_services is\./);
  });
});

describe("an Ingress", () => {
  const annotations = {
    "traefik.ingress.kubernetes.io/router.entrypoints": "web",
    "traefik.ingress.kubernetes.io/router.middlewares": "apps-sso@kubernetescrd",
  };
  const of = (changes: object, path?: string) =>
    imported(
      [...REPORTS, ingress("apps/reports", "reports.example.org", "reports-web", { ...annotations, ...changes }, path)],
      { identity: STAFF },
    );

  test("is read with its middlewares and entry points", () => {
    const found = of({});
    expect(found.entries.map(({ fields }) => [fields.type, fields["groups"]])).toEqual([
      ["proxy", ["admins", "staff"]],
    ]);
  });

  test.each([
    [{ "kubernetes.io/ingress.class": "nginx" }, undefined, "its class is nginx, not traefik"],
    [
      { "traefik.ingress.kubernetes.io/router.tls.options": "apps-mtls@kubernetescrd" },
      undefined,
      "its annotation traefik.ingress.kubernetes.io/router.tls.options has no equivalent",
    ],
    [{}, "/admin", "no rule serves the whole host, and an entry does"],
  ])("with %j and the path %s is not imported", (changes, path, reason) => {
    expect(Object.values(reasonsOf(of(changes, path)))).toEqual([[reason]]);
  });

  test("with an annotation of Traefik in another case is not imported", () => {
    const key = "traefik.ingress.kubernetes.io/Router.middlewares";
    expect(Object.values(reasonsOf(of({ [key]: "apps-office@kubernetescrd" })))).toEqual([
      [`its annotation ${key} has no equivalent`],
    ]);
  });

  test("is read with the annotation of Traefik 1 that authentik writes", () => {
    expect(of({ "traefik.ingress.kubernetes.io/affinity": "true" }).unmapped.size).toBe(0);
  });

  test("with a backend whose Service has annotations of Traefik is not imported", () => {
    const key = "traefik.ingress.kubernetes.io/service.serversscheme";
    const web = { ...service("apps/reports-web"), props: { metadata: { annotations: { [key]: "https" } } } };
    const main = ingress("apps/reports", "reports.example.org", "reports-web", annotations);
    const found = imported([web, authentik("apps/sso"), main], { identity: STAFF });
    expect(Object.values(reasonsOf(found))).toEqual([
      [`its Service apps/reports-web has the annotation ${key}, which has no equivalent`],
    ]);
  });
});

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
  test.each(Object.entries(cases))("with %s is reported", (_, [rules, spec, reason]) => {
    const manifests = [
      ...[...REPORTS, SECOND, service("apps/alias", 80, { type: "ExternalName", externalName: "example.com" })],
      middleware("apps/limit", "rateLimit", { average: 5 }),
      middleware("apps/allowed", "ipAllowList", { sourceRange: ["10.0.0.0/8"] }),
      middleware("apps/chained", "chain", { middlewares: [{ name: "sso" }, { name: "allowed" }] }),
      middleware("apps/users", "basicAuth", { secret: "users" }),
    ];
    const found = imported([...manifests, route("apps/reports", rules, spec)], { identity: STAFF });
    expect([entriesOf(found), Object.values(reasonsOf(found)).flat()]).toEqual([[], [reason]]);
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

  test("for TCP and UDP is reported", () => {
    const tcp = object("traefik.io/v1alpha1", "IngressRouteTCP", "db/postgres", {
      spec: {
        entryPoints: ["postgres"],
        routes: [{ match: "HostSNI(`*`)", services: [{ name: "postgres", port: 5432 }] }],
      },
    });
    const udp = object("traefik.io/v1alpha1", "IngressRouteUDP", "dns/dns", {
      spec: { entryPoints: ["dns"], routes: [{}] },
    });
    const found = imported([...REPORTS, tcp, udp, route("apps/reports", [main])], { identity: STAFF });
    expect(reasonsOf(found)).toEqual({
      "HostSNI(`*`)": ["Gatehouse routes HTTP only, not TCP"],
      "every packet": ["Gatehouse routes HTTP only, not UDP"],
    });
    expect(found.entries.length).toBe(1);
  });
});
