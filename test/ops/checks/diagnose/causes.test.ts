/** Each cause besides those of a login loop, from made-up evidence: it is named for its symptom, and no other. */
import { describe, expect, test } from "vitest";
import { diagnoseAll } from "../../../../ops/checks/diagnose/diagnosis.ts";
import {
  type Change,
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
  proxy,
  outpost,
  FORWARD_AUTH,
  route,
  middleware,
  service,
  engine,
  without,
  diagnosed,
  type Case,
  testEach,
} from "./changes.ts";
import { brief, inside, the, world } from "./world.ts";

test("a whole stack has no symptom on any host", () => {
  const { hosts, stackFindings, limits } = diagnoseAll(world());
  expect(hosts.filter((host) => brief(host).join() !== "none,none")).toEqual([]);
  expect({ stackFindings, limits }).toEqual({ stackFindings: [], limits: [] });
});

const DEAD: Case[] = [
  {
    name: "IngressRoute missing",
    changes: [noRoute, (e) => without(inside(e.cluster.routes), route(e))],
    expected: ["dead", "route configuration"],
    problem: "the route of wiki.localhost is missing",
  },
  {
    name: "another host",
    changes: [noRoute, (e) => route(e).rules.forEach((rule) => (rule.match = rule.match.replaceAll("wiki", "wikki")))],
    expected: ["dead", "route configuration"],
    problem: expect.stringMatching(/^the route of wiki\.localhost has no rule for Host\(`wiki\.localhost`\)/) as string,
  },
  {
    name: "another entry point",
    changes: [noRoute, (e) => void (route(e).entryPoints = ["internal"])],
    expected: ["dead", "route configuration"],
    problem: "the route of wiki.localhost is on another entry point",
  },
  {
    name: "a middleware is missing",
    changes: [noRoute, (e) => without(inside(e.cluster.middlewares), middleware(e, FORWARD_AUTH))],
    expected: ["dead", "route configuration"],
    problem: "a middleware of wiki@localhost is missing, so Traefik drops its routes",
  },
  {
    name: "the Secret of basic auth is missing",
    url: "http://legacy.localhost",
    changes: [
      answers("http://legacy.localhost", [[404, "http://legacy.localhost/"]], { text: "gateway: no route" }),
      (e) => void inside(e.cluster.secrets).clear(),
    ],
    expected: ["dead", "route configuration"],
    problem:
      "the Secret with the password of Middleware default/legacy-basic-auth is missing, so Traefik drops its routes",
  },
  {
    name: "no address, and ExternalDNS is not there",
    url: MESH,
    changes: [noName, (e) => void (inside(e.cluster.dns).endpoints = undefined)],
    expected: ["dead", "DNS resolution"],
    problem: "wiki.mesh.example.org has no address",
  },
  {
    name: "no address, before a route that is missing too",
    url: MESH,
    changes: [
      noName,
      (e) =>
        without(
          inside(e.cluster.routes),
          the(inside(e.cluster.routes), ({ name }) => name === "gatehouse-tls-wiki"),
        ),
    ],
    expected: ["dead", "DNS resolution", "also route configuration"],
    problem: "wiki.mesh.example.org has no address",
  },
  {
    name: "another address",
    url: MESH,
    changes: [
      answers(MESH, [], { end: { error: "ECONNREFUSED" } }),
      ({ names }) => void names.set("wiki.mesh.example.org", { seen: { addresses: ["198.51.100.1"] } }),
    ],
    expected: ["dead", "DNS resolution"],
    problem: "wiki.mesh.example.org resolves to another address than the gateway's",
  },
];

const UNPROTECTED: Case[] = [
  {
    name: "forward auth taken from the route",
    changes: [open, (e) => route(e).rules.forEach((rule) => (rule.middlewares = rule.middlewares.slice(0, 1)))],
    expected: ["unprotected", "route configuration"],
    problem: expect.stringMatching(/^the route of wiki\.localhost lacks default\/gatehouse-/) as string,
  },
  {
    name: "a route of somebody else that goes before",
    changes: [
      open,
      (e) =>
        void inside(e.cluster.routes).push({
          ...{ namespace: "tools", name: "grab", entryPoints: ["web"] },
          rules: [{ match: "HostRegexp(`^w.*`)", priority: 900, middlewares: [], backends: [], passHostHeader: true }],
        }),
    ],
    expected: ["unprotected", "route configuration"],
    problem: "an unmanaged route serves wiki.localhost",
  },
  {
    name: "an oauth2 application that asks nobody",
    url: "http://grafana.localhost",
    changes: [answers("http://grafana.localhost", [[200, "http://grafana.localhost/"]])],
    expected: ["unprotected", "application asks for no login"],
    problem:
      'application "grafana" answers requests without a session; an oauth2 application has to require the login itself',
  },
];

const routeless: Change = (e) => without(inside(e.cluster.routes), route(e));
const DEPLOYMENT: Case[] = [
  {
    name: "never",
    changes: [
      noRoute,
      (e) => void (e.engine = { seen: { deployed: false, last: undefined, pending: [], urls: undefined } }),
    ],
    expected: ["dead", "deployment"],
    problem: "the stack was never deployed",
  },
  {
    name: "not since the entry was written",
    changes: [open, routeless, (e) => void (engine(e).urls = [])],
    expected: ["unprotected", "deployment", "also route configuration"],
    problem: "it is in the configuration, but is not deployed",
  },
  {
    name: "failed",
    changes: [
      open,
      routeless,
      (e) => void (engine(e).last = { kind: "update", result: "failed", ended: "2026-11-21" }),
    ],
    expected: ["unprotected", "deployment", "also route configuration"],
    problem: "the last deployment run failed",
  },
  {
    name: "interrupted",
    changes: [
      noProvider,
      (e) => without(inside(e.identity).proxies, proxy(e)),
      (e) => void (engine(e).pending = ["wiki@localhost-provider"]),
    ],
    expected: ["sign-in", "deployment", "also provider configuration"],
    problem: "the last deployment run was interrupted",
  },
  {
    name: "failed elsewhere, which explains nothing here",
    changes: [
      loop,
      (e) => void (outpost(e).authentikHost = WIKI),
      (e) => void (engine(e).last = { kind: "update", result: "failed", ended: "2026-11-21" }),
    ],
    expected: ["loop", "trusted origins"],
    problem: `the outpost redirects to another origin than ${AUTHENTIK}`,
  },
];

const RUNNING: Case[] = [
  {
    name: "no pod of the application",
    changes: [failing, (e) => void (service(e, "wiki").ready = 0)],
    expected: ["unavailable", "application not running"],
    problem: "no pod of Service default/wiki is ready",
  },
  {
    name: "another port",
    changes: [failing, (e) => void (service(e, "wiki").ports = [8080])],
    expected: ["unavailable", "application not running"],
    problem: "Service default/wiki has no port 80",
  },
  {
    name: "no pod of the identity provider",
    changes: [
      answers(WIKI, [[500, `${WIKI}/`]]),
      (e) => inside(e.cluster.services).forEach((one) => (one.ready = one.namespace === "authentik" ? 0 : 1)),
    ],
    expected: ["unavailable", "identity provider not running"],
    problem: "no pod of Service authentik/authentik-server is ready",
  },
];

describe("domain not working", () => testEach(DEAD));
describe("service not protected", () => testEach(UNPROTECTED));
describe("deployment", () => testEach(DEPLOYMENT));
describe("what does not run", () => testEach(RUNNING));

test("reports a symptom without a cause when no cause applies", () => {
  expect(brief(diagnosed(WIKI, [failing]))).toEqual(["unavailable", "none"]);
  expect(brief(diagnosed(WIKI, [loop]))).toEqual(["loop", "none"]);
});
