import { describe, expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import { serversOf } from "../../../ops/import/server.ts";
import { shell, stack } from "../../config/stacks.ts";
import {
  HOST,
  imported,
  middleware,
  NEW,
  OUTPOST_PK,
  reasonsOf,
  route,
  rule,
  SERVER,
  service,
  STAFF,
} from "./cluster.ts";

const URL_HOST = "login.example.org";

describe("a route with forward auth", () => {
  const uuid = (pk: string) => ({ "goauthentik.io/outpost-uuid": pk.replaceAll("-", "") });
  const outpost = (place: string, pk: string) => {
    const [namespace, name] = place.split("/");
    return { ...service(place, 9000), props: { metadata: { namespace, name, labels: uuid(pk) } } };
  };
  const selector = { "app.kubernetes.io/name": "authentik", "app.kubernetes.io/component": "server" };
  const manifests = [
    service("apps/reports-web"),
    service("authentik/authentik-server", 80, { clusterIP: "10.43.0.7" }),
    service("authentik/server-metrics", 80, { selector }),
    service("test/authentik-server", 80, { selector, clusterIP: "10.43.0.8" }),
    outpost("authentik/ak-outpost", OUTPOST_PK),
    outpost("test/ak-outpost", "3f2b1c8e-5a64-4f0d-8c57-9e1d0b7a6c42"),
    route("apps/reports", [rule(HOST, "reports-web", ["sso"])]),
  ];
  const of = (address: string, identity: typeof STAFF | string = STAFF) => {
    const auth = middleware("apps/sso", "forwardAuth", { address: `${address}/outpost.goauthentik.io/auth/traefik` });
    return imported([...manifests, auth], { identity, servers: [URL_HOST, SERVER] });
  };

  test.each([
    "http://authentik-server.authentik.svc.cluster.local:9000",
    "http://authentik-server.authentik:9000",
    "http://10.43.0.7:9000",
    "http://server-metrics.authentik.svc",
    "http://ak-outpost.authentik.svc:9000",
    `https://${URL_HOST}`,
  ])("is written for %s, an outpost of the authentik that was read", (address) => {
    expect(of(address).entries.map(({ fields }) => fields)).toMatchObject([
      { type: "proxy", groups: ["admins", "staff"] },
    ]);
  });

  test.each([
    ["http://other.server", "other.server"],
    ["http://authentik-server.test.svc:9000", "Service test/authentik-server"],
    ["http://10.43.0.8:9000", "Service test/authentik-server"],
    ["http://reports-web.apps", "Service apps/reports-web"],
    ["https://login.example.net", "login.example.net"],
  ])("is refused for %s, since the groups may be those of another authentik", (address, server) => {
    const found = of(address);
    expect([found.entries, reasonsOf(found)]).toEqual([
      [],
      {
        [HOST]: [
          `its forward auth requests ${server}, which is not an outpost of this authentik. If it is its server, name the Service in gatehouse:identity_provider`,
        ],
      },
    ]);
  });

  test("is refused for the outpost of another authentik", () => {
    expect(Object.values(reasonsOf(of("http://ak-outpost.test.svc:9000")))).toEqual([
      ['its provider "Provider of reports" of authentik is in another outpost than that of its forward auth'],
    ]);
  });

  test("is refused without its groups if authentik was not read", () => {
    expect(Object.values(reasonsOf(of("http://other.server", "no token")))).toEqual([
      ["the groups of its application are not known: no token"],
    ]);
  });
});

describe("the servers of the authentik that was read", () => {
  const provider = { install: false, url: `https://${URL_HOST}`, token: "${TOKEN}", api_url: "http://127.0.0.1:9000" };
  const settings = parseStack(stack({ identity_provider: { ...provider, service: { name: "sso" } } }), shell);
  const target = { settings, plan: computePlan(settings) };
  const login = route("test/login", [rule(`Host(\`${URL_HOST}\`)`, "authentik")]);

  test.each([
    ["no URL", undefined, []],
    ["the URL of the API", "http://127.0.0.1:9000", [URL_HOST, { namespace: "authentik", name: "sso" }]],
    ["the URL for browsers", `https://${URL_HOST}`, [URL_HOST, { namespace: "authentik", name: "sso" }]],
    ["another URL", "https://login.example.net", ["login.example.net"]],
  ])("are its own address and the Service of the stack file with %s", (_, url, expected) => {
    const unique = new Map(serversOf(url, target, []).map((one) => [JSON.stringify(one), one]));
    expect([...unique.values()]).toEqual(expected);
  });

  test("contain the Services of routes for the host", () => {
    const routed = { namespace: "test", name: "authentik" };
    expect(serversOf(`https://${URL_HOST}`, NEW, [login])).toEqual([URL_HOST, routed]);
    expect(serversOf("http://127.0.0.1:9000", NEW, [login])).toEqual([]);
  });
});
