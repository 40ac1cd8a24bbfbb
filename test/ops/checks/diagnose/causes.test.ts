/** The causes of other symptoms than a failed sign-in, from generated evidence. */
import { describe, expect, test } from "vitest";
import { diagnosisOf } from "../../../../ops/checks/diagnose/diagnosis.ts";
import {
  WIKI,
  AUTHENTIK,
  MESH,
  answers,
  loop,
  noProvider,
  noRoute,
  open,
  failing,
  noName,
  outpost,
  proxy,
  PROVIDER,
  FORWARD_AUTH,
  ROUTE,
  rules,
  object,
  remove,
  engine,
  diagnosed,
  type Case,
  testEach,
} from "./changes.ts";
import { ingressRoute } from "../audit/cluster.ts";
import { brief, evidenceOf, inside } from "./evidence.ts";

test("reports no symptom for a stack that is as planned", () => {
  const { hosts, stackFindings, limits } = diagnosisOf(evidenceOf());
  expect(hosts.filter((host) => brief(host).join() !== "none,none")).toEqual([]);
  expect({ stackFindings, limits }).toEqual({ stackFindings: [], limits: [] });
});

const DEAD: Case[] = [
  {
    name: "names the route when its IngressRoute is missing",
    changes: [noRoute, remove(ROUTE)],
    expected: ["not-working", "route configuration"],
    message: "IngressRoute default/wiki is missing, so another route may serve wiki.localhost, wiki.mesh.example.org",
  },
  {
    name: "names the route when it matches another host",
    changes: [noRoute, (e) => rules(e).forEach((rule) => (rule.match = rule.match.replaceAll("wiki", "wikki")))],
    expected: ["not-working", "route configuration"],
    message: expect.stringMatching(/^IngressRoute default\/wiki has no rule for Host\(`wiki\.localhost`\)/) as string,
  },
  {
    name: "names the route when it is on another entry point",
    changes: [noRoute, (e) => void (object(e, ROUTE).spec["entryPoints"] = ["internal"])],
    expected: ["not-working", "route configuration"],
    message: "IngressRoute default/wiki was changed",
  },
  {
    name: "names the route when a middleware is missing",
    changes: [noRoute, remove(`Middleware default/${FORWARD_AUTH}`)],
    expected: ["not-working", "route configuration"],
    message: `Middleware default/${FORWARD_AUTH} is missing, so Traefik drops the routers that use it`,
  },
  {
    name: "names the route when the Secret of basic auth is missing",
    url: "http://legacy.localhost",
    changes: [
      answers("http://legacy.localhost", [[404, "http://legacy.localhost/"]], { text: "gateway: no route" }),
      (e) => inside(e.cluster.secrets).clear(),
    ],
    expected: ["not-working", "route configuration"],
    message:
      "the Secret with the password of Middleware default/legacy-basic-auth is missing, so Traefik drops its routes",
  },
  {
    name: "names DNS when ExternalDNS is not installed",
    url: MESH,
    changes: [noName, (e) => void inside(e.cluster.objects).absent.add("DNSEndpoint")],
    expected: ["not-working", "DNS resolution"],
    message: "wiki.mesh.example.org has no address",
  },
  {
    name: "names DNS before a missing route",
    url: MESH,
    changes: [noName, remove("IngressRoute default/gatehouse-tls-wiki")],
    expected: ["not-working", "DNS resolution", "also route configuration"],
    message: "wiki.mesh.example.org has no address",
  },
  {
    name: "names DNS when the host has another address",
    url: MESH,
    changes: [
      answers(MESH, [], { end: { error: "ECONNREFUSED" } }),
      ({ names }) => void names.set("wiki.mesh.example.org", { value: { addresses: ["198.51.100.1"] } }),
    ],
    expected: ["not-working", "DNS resolution"],
    message: "wiki.mesh.example.org resolves to another address than the gateway's",
  },
];

const UNPROTECTED: Case[] = [
  {
    name: "names the route when forward auth is missing",
    changes: [open, (e) => rules(e).forEach((rule) => (rule.middlewares = rule.middlewares.slice(0, 1)))],
    expected: ["unprotected", "route configuration"],
    message: expect.stringMatching(/is open to everyone: default\/gatehouse-outpost-\S+ is missing$/) as string,
  },
  {
    name: "names the route when forward auth is missing and the application redirects to its own page",
    changes: [
      answers(WIKI, [
        [302, `${WIKI}/`],
        [200, `${WIKI}/dashboard`],
      ]),
      (e) => rules(e).forEach((rule) => (rule.middlewares = rule.middlewares.slice(0, 1))),
    ],
    expected: ["unprotected", "route configuration"],
    message: expect.stringMatching(/is open to everyone: default\/gatehouse-outpost-\S+ is missing$/) as string,
  },
  {
    name: "names the route when an unmanaged one has a higher priority",
    changes: [
      open,
      (e) =>
        void inside(e.cluster.objects).manifests.push(
          ingressRoute("tools/grab", "HostRegexp(`^w.*`)", { priority: 900 }),
        ),
    ],
    expected: ["unprotected", "route configuration"],
    message: expect.stringMatching(
      /^IngressRoute tools\/grab .* with priority 900 before every planned route$/,
    ) as string,
  },
  {
    name: "names the provider when it has unauthenticated paths",
    changes: [open, (e) => void (proxy(e).skip_path_regex = ".*")],
    expected: ["unprotected", "provider configuration"],
    message: `provider "${PROVIDER}" differs from the plan`,
  },
  {
    name: "names an oauth2 application that requires no login",
    url: "http://grafana.localhost",
    changes: [answers("http://grafana.localhost", [[200, "http://grafana.localhost/"]])],
    expected: ["unprotected", "application requires no login"],
    message:
      'application "grafana" answers requests without a session; an oauth2 application has to require the login itself',
  },
];

const DEPLOYMENT: Case[] = [
  {
    name: "applies when the stack was never deployed",
    changes: [
      noRoute,
      (e) => void (e.engine = { value: { deployed: false, last: undefined, pending: [], urls: undefined } }),
    ],
    expected: ["not-working", "deployment"],
    message: "the stack was never deployed",
  },
  {
    name: "applies when the entry was not deployed",
    changes: [open, remove(ROUTE), (e) => void (engine(e).urls = [])],
    expected: ["unprotected", "deployment", "also route configuration"],
    message: "it is in the configuration, but is not deployed",
  },
  {
    name: "applies when the deployment failed",
    changes: [
      open,
      remove(ROUTE),
      (e) => void (engine(e).last = { kind: "update", result: "failed", ended: "2026-11-21" }),
    ],
    expected: ["unprotected", "deployment", "also route configuration"],
    message: "the last deployment run failed",
  },
  {
    name: "applies when the deployment was interrupted",
    changes: [
      noProvider,
      ({ identity }) => void (inside(identity).proxies = []),
      (e) => void (engine(e).pending = ["wiki-localhost-provider"]),
    ],
    expected: ["sign-in", "deployment", "also provider configuration"],
    message: "the last deployment run was interrupted",
  },
  {
    name: "does not apply when a deployment failed elsewhere",
    changes: [
      loop,
      (e) => void (outpost(e).config.authentik_host = WIKI),
      (e) => void (engine(e).last = { kind: "update", result: "failed", ended: "2026-11-21" }),
    ],
    expected: ["loop", "trusted origins"],
    message: `the outpost redirects to another origin than ${AUTHENTIK}`,
  },
];

const RUNNING: Case[] = [
  {
    name: "names the application when it has no pod",
    changes: [failing, remove("Pod default/wiki")],
    expected: ["unavailable", "application not running"],
    message: "no pod of Service default/wiki is ready",
  },
  {
    name: "names the application when its Service has another port",
    changes: [failing, (e) => void (object(e, "Service default/wiki").spec["ports"] = [{ port: 8080 }])],
    expected: ["unavailable", "application not running"],
    message: "Service default/wiki has no port 80",
  },
  {
    name: "names the identity provider when it has no pod",
    changes: [answers(WIKI, [[500, `${WIKI}/`]]), remove("Pod authentik/authentik-server")],
    expected: ["unavailable", "identity provider not running"],
    message: "no pod of Service authentik/authentik-server is ready",
  },
];

test.each([
  [403, "unavailable"],
  [429, "unavailable"],
  [200, "unprotected"],
  [404, "unprotected"],
])("reports a basic host that answers %i without a password as %s", (status, symptom) => {
  const url = "http://legacy.localhost";
  const found = diagnosed(url, [answers(url, [[status, `${url}/`]])]);
  expect(brief(found)).toEqual([symptom, "none"]);
});

test.each([
  [200, `${WIKI}/outpost.goauthentik.io/start`],
  [403, `${WIKI}/dashboard`],
  [200, "http://wiki.localhost.example.org/dashboard"],
])("reports redirects that end with %i of %s as a sign-in, not as unprotected", (status, last) => {
  const found = diagnosed(WIKI, [
    answers(WIKI, [
      [302, `${WIKI}/`],
      [status, last],
    ]),
  ]);
  expect(brief(found)).toEqual(["sign-in", "none"]);
});

describe("domain not working", () => testEach(DEAD));
describe("service not protected", () => testEach(UNPROTECTED));
describe("deployment", () => testEach(DEPLOYMENT));
describe("pods that are not ready", () => testEach(RUNNING));

test("reports a symptom without a cause when no cause applies", () => {
  expect(brief(diagnosed(WIKI, [failing]))).toEqual(["unavailable", "none"]);
  expect(brief(diagnosed(WIKI, [loop]))).toEqual(["loop", "none"]);
});
