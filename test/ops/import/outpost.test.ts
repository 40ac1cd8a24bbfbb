import { describe, expect, test } from "vitest";
import { service, rule, route, ingress, OUTPOST_PK, proxies, imported, reasonsOf, HOST } from "./cluster.ts";

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
    expect(found.differences.get("reports.example.org")).toEqual(
      expect.arrayContaining([
        "the application receives requests from Traefik, with X-idp-* headers, and no longer X-authentik-* and additionalHeaders of users and groups",
        "clients can send additionalHeaders, which the gateway does not remove: change the application to X-idp-* before the deployment",
      ]),
    );
  });

  test("becomes type proxy also if it is the embedded one, whose Service the Helm chart creates", () => {
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

  test("is not treated as an outpost only because authentik has a provider for its host", () => {
    const open = [service("apps/reports-web"), route("apps/reports", [rule(HOST, "reports-web")])];
    const found = imported(open, { identity: records(internal) });
    expect(found.entries).toEqual([]);
    expect(reasonsOf(found)[HOST]?.[0]).toMatch(/^it is open to everyone/);
  });
});
