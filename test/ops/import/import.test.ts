import { describe, expect, test } from "vitest";
import { NO_OPEN_PATHS } from "../../../protections/forwardAuth.ts";
import {
  service,
  middleware,
  rule,
  route,
  proxies,
  withClient,
  imported,
  entriesOf,
  reasonsOf,
  REPORTS,
  STAFF,
  HOST,
  FORWARD_AUTH,
} from "./cluster.ts";

describe("forward auth of authentik", () => {
  test("becomes type proxy with the groups, session and backend of the application", () => {
    const found = imported([...REPORTS, route("apps/reports", [rule(HOST, "reports-web", ["sso"])])], {
      identity: STAFF,
    });
    expect(entriesOf(found)).toEqual([
      {
        name: "reports",
        type: "proxy",
        domains: ["example-org"],
        application_slug: "reports",
        groups: ["admins", "staff"],
        session: "hours=24",
        service: {
          name: "reports-web",
          namespace: "apps",
          port: 80,
        },
      },
    ]);
    expect(found.kinds).toEqual([{ kind: "example-org", baseDomain: "example.org", protocol: "http", tls: undefined }]);
    expect(found.differences.get("reports.example.org")?.toSorted()).toEqual([
      "API and background requests without a session get 401 instead of a redirect to the login",
      "during the deployment it answers 500 or 400 for some seconds, until the new outpost serves it",
      "sessions start anew, without a login for users who are signed in at authentik",
      "the application receives X-idp-* headers, and from Middleware apps/sso no longer X-authentik-username",
    ]);
    expect(found.unmapped.size).toBe(0);
  });

  test("names the headers of the middleware that clients can send afterwards", () => {
    const names = ["X-authentik-username", "X-Authentik-Meta-App", "X-idp-email", "Remote-User"];
    const fields = { authResponseHeaders: names, authResponseHeadersRegex: "^X-Team-" };
    const auth = middleware("apps/sso", "forwardAuth", { address: FORWARD_AUTH, ...fields });
    const manifests = [service("apps/reports-web"), auth, route("apps/reports", [rule(HOST, "reports-web", ["sso"])])];
    const lines = imported(manifests, { identity: STAFF }).differences.get("reports.example.org");
    expect(lines?.filter((line) => /Remote-User/.test(line))).toEqual([
      "the application receives X-idp-* headers, and from Middleware apps/sso no longer X-authentik-username, X-Authentik-Meta-App, Remote-User, those that match ^X-Team-",
      "clients can send Remote-User, those that match ^X-Team-, which the gateway does not remove: change the application to X-idp-* before the deployment",
    ]);
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

  test("does not open a path whose rule has a negative priority", () => {
    const open = rule(`${HOST} && PathPrefix(\`/assets/\`)`, "reports-web", [], { priority: -1 });
    const found = imported([...REPORTS, route("apps/reports", [rule(HOST, "reports-web", ["sso"]), open])], {
      identity: STAFF,
    });
    expect(Object.values(reasonsOf(found))[0]).toEqual([
      "Host(`reports.example.org`) && PathPrefix(`/assets/`) is open, and its priority is not higher than that of the protected rule",
    ]);
  });

  test("opens paths that a rule without authentication or the provider leaves open", () => {
    const identity = proxies({
      slug: "reports",
      host: "reports.example.org",
      provider: { skip_path_regex: "^/healthz$\n^/api/.*\n^/static" },
    });
    const open = rule(`${HOST} && PathPrefix(\`/assets/\`)`, "reports-web");
    const found = imported([...REPORTS, route("apps/reports", [rule(HOST, "reports-web", ["sso"]), open])], {
      identity,
    });
    expect(found.entries.map(({ fields }) => fields["public_paths"])).toEqual([["/api/", "/static", "/assets/"]]);
    const lines = found.differences.get("reports.example.org");
    expect(lines?.filter((line) => line.includes("open paths"))).toEqual([
      "the open paths ^/healthz$ require a session, because no path prefix opens only them",
      "of the open paths ^/static only /static and /static/… stay open",
    ]);
  });

  test("reports no open paths for the expression of Gatehouse's own providers", () => {
    const provider = { skip_path_regex: NO_OPEN_PATHS };
    const identity = proxies({ slug: "reports", host: "reports.example.org", groups: ["staff"], provider });
    const found = imported([...REPORTS, route("apps/reports", [rule(HOST, "reports-web", ["sso"])])], { identity });
    expect(found.entries.map(({ fields }) => fields["public_paths"])).toEqual([undefined]);
    expect(found.differences.get("reports.example.org")?.join() ?? "").not.toContain("open paths");
  });

  test.each([
    ["the whole URL (forward_domain)", "^/api/.*", { mode: "forward_domain", cookie_domain: "example.org" }],
    ["spaces", "^/api/.* ", {}],
  ])("opens no path of a pattern that is compared with %s", (_, pattern, provider) => {
    const identity = proxies({
      slug: "reports",
      host: "reports.example.org",
      provider: {
        ...provider,
        skip_path_regex: pattern,
      },
    });
    const found = imported([...REPORTS, route("apps/reports", [rule(HOST, "reports-web", ["sso"])])], { identity });
    expect(found.entries.map(({ fields }) => fields["public_paths"])).toEqual([undefined]);
    expect(found.differences.get("reports.example.org")).toContain(
      `the open paths ${pattern} require a session, because no path prefix opens only them`,
    );
  });

  test("reports policies and stages that are bound to a flow with explicit consent", () => {
    const records = proxies({
      slug: "reports",
      host: "reports.example.org",
      groups: ["staff"],
      provider: { authorization_flow: "explicit" },
    });
    const explicit = "default-provider-authorization-explicit-consent";
    const identity = { ...records, flows: [...records.flows, { pk: "explicit", slug: explicit }] };
    const found = imported([...REPORTS, route("apps/reports", [rule(HOST, "reports-web", ["sso"])])], { identity });
    expect(found.differences.get("reports.example.org")).toContain(
      `users are no longer asked for their consent at the first login, and policies and stages that were bound to the flow "${explicit}" no longer apply`,
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

test("imports basic auth of one user as type basic with a variable as password, and not that of two users", () => {
  const auth = middleware("apps/users", "basicAuth", { secret: "users", removeHeader: true });
  const users = new Map([["apps/users", ["ops"]]]);
  const match = "Host(`legacy.localhost`)";
  const manifests = [service("apps/legacy"), auth, route("apps/old", [rule(match, "legacy", ["users"])])];
  const found = imported(manifests, { users });
  expect(entriesOf(found)).toEqual([
    {
      name: "legacy",
      type: "basic",
      domains: ["localhost"],
      basic_auth: {
        username: "ops",
        password: "${LEGACY_PASSWORD}",
      },
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

  test("becomes type oauth2 with a separate slug if the application is a client", () => {
    const found = imported(manifests, { identity });
    expect(entriesOf(found)).toEqual([
      {
        name: "grafana",
        type: "oauth2",
        domains: ["example-org"],
        application_slug: "grafana-2",
        oauth_config: {
          client_id: "${GRAFANA_CLIENT_ID}",
          client_secret: "${GRAFANA_CLIENT_SECRET}",
          redirect_uri: "/login/generic_oauth",
          access_token_validity: "minutes=5",
          refresh_token_validity: "days=30",
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

  test("gets a slug that is no path of authentik's endpoints", () => {
    const host = "token.example.org";
    const identity = withClient(proxies(), "grafana", `https://${host}/callback`);
    const routed = [
      service("apps/app"),
      route("apps/app", [rule(`Host(\`${host}\`)`, "app")], { entryPoints: ["web"] }),
    ];
    expect(entriesOf(imported(routed, { identity }))).toMatchObject([{ name: "token", application_slug: "grafana-2" }]);
  });

  test("lists the addresses after a sign-out, which an entry does not have", () => {
    const fields = { logout_uris: ["https://grafana.example.org/bye"] };
    const url = "https://grafana.example.org/login/generic_oauth";
    const found = imported(manifests, { identity: withClient(proxies(), "grafana", url, fields) });
    expect(found.differences.get("grafana.example.org")).toEqual([
      "addresses after a sign-out (https://grafana.example.org/bye) are not part of the new client",
      "requests over HTTP are redirected to HTTPS",
    ]);
  });

  test("becomes type oauth2 without a secret if the client is public", () => {
    const url = "https://grafana.example.org/login/generic_oauth";
    const found = imported(manifests, { identity: withClient(proxies(), "grafana", url, { client_type: "public" }) });
    const [{ oauth_config }] = entriesOf(found) as [{ oauth_config: Record<string, unknown> }];
    expect([oauth_config["client_type"], oauth_config["client_secret"]]).toEqual(["public", undefined]);
  });

  test("is not imported if the application is not a client: no type of protected_services is open", () => {
    const found = imported(manifests);
    expect(entriesOf(found)).toEqual([]);
    expect(reasonsOf(found)[match]?.[0]).toMatch(/^it is open to everyone, and no type of protected_services is\./);
  });
});
