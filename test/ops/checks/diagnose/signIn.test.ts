/** Each cause of a login loop, from generated evidence: it is reported, and no other. */
import { describe, expect, test } from "vitest";
import type { Evidence } from "../../../../ops/checks/diagnose/evidence.ts";
import {
  WIKI,
  AUTHENTIK,
  signedIn,
  loop,
  noProvider,
  proxy,
  application,
  outpost,
  OUTPOST,
  FORWARD_AUTH,
  forwardAuth,
  remove,
  without,
  diagnosed,
  type Case,
  testEach,
} from "./changes.ts";
import { inside, type Open, the } from "./evidence.ts";

const TRUSTED: Case[] = [
  {
    name: "authentik takes another origin for its own",
    changes: [loop, (e) => void (e.ownOrigin = { value: "https://authentik.localhost" })],
    expected: ["loop", "trusted origins"],
    message: `the identity provider has the origin https://authentik.localhost, but browsers use ${AUTHENTIK}: it refuses their logins`,
  },
  {
    name: "authentik refuses the browser's Origin",
    changes: [
      signedIn(
        WIKI,
        [
          [302, `${WIKI}/`],
          [403, `${AUTHENTIK}/api/v3/flows/`],
        ],
        { text: "refused: origin" },
      ),
    ],
    expected: ["sign-in", "trusted origins"],
    message: `the identity provider refuses requests of a browser on ${AUTHENTIK}: CSRF Failed`,
  },
  {
    name: "the outpost has no authentik_host",
    changes: [loop, (e) => void (outpost(e).config.authentik_host = "")],
    expected: ["loop", "trusted origins"],
    message: `the outpost redirects to another origin than ${AUTHENTIK}`,
  },
  {
    name: "before the provider, where both hold",
    changes: [loop, (e) => void (outpost(e).config.authentik_host = WIKI), (e) => void (proxy(e).mode = "proxy")],
    expected: ["loop", "trusted origins", "also provider configuration"],
    message: `the outpost redirects to another origin than ${AUTHENTIK}`,
  },
];

const PROVIDER: Case[] = [
  {
    name: "missing",
    changes: [noProvider, (e) => without(inside(e.identity).proxies, proxy(e))],
    expected: ["sign-in", "provider configuration"],
    message: 'provider "wiki@localhost" is missing',
  },
  ...(["external_host", "mode", "cookie_domain", "access_token_validity"] as const).map((field) => ({
    name: `with another ${field}`,
    changes: [loop, (e: Open<Evidence>) => void (proxy(e)[field] = "http://other.localhost")],
    expected: ["loop", "provider configuration"],
    message: 'provider "wiki@localhost" differs from the plan',
  })),
  {
    name: "without its application",
    changes: [noProvider, (e) => without(inside(e.identity).applications, application(e))],
    expected: ["sign-in", "provider configuration"],
    message: 'application "wiki-localhost" is missing, so no outpost serves its provider',
  },
  {
    name: "whose application has another slug",
    changes: [loop, (e) => void (application(e).slug = "wiki")],
    expected: ["loop", "provider configuration"],
    message: 'the slug of application "wiki-localhost" was changed',
  },
  {
    name: "whose application has another provider",
    changes: [noProvider, (e) => void (application(e).provider = null)],
    expected: ["sign-in", "provider configuration"],
    message: 'application "wiki-localhost" has another provider than its own',
  },
  {
    name: "not attached to the outpost",
    changes: [noProvider, (e) => void (outpost(e).providers = outpost(e).providers.slice(1))],
    expected: ["sign-in", "provider configuration"],
    message: 'provider "wiki@localhost" is not attached to its outpost',
  },
  {
    name: "whose outpost is missing",
    changes: [noProvider, (e) => void (inside(e.identity).outposts = [])],
    expected: ["sign-in", "provider configuration"],
    message: `outpost "${OUTPOST}" is missing`,
  },
  {
    name: "of an oauth2 service, without the way back",
    url: "http://grafana.localhost",
    changes: [(e) => void (the(inside(e.identity).clients, ({ name }) => name === "grafana").redirect_uris = [])],
    expected: ["none", "provider configuration"],
    message: 'provider "grafana" has no redirect URI on http://grafana.localhost',
  },
];

const LOOPING_ROUTES: Case[] = [
  {
    name: "forward auth without the cookie",
    changes: [loop, (e) => void (forwardAuth(e)["authRequestHeaders"] = ["Accept"])],
    expected: ["loop", "route configuration"],
    message: `Middleware default/${FORWARD_AUTH} does not forward the planned request headers to the outpost, such as the session`,
  },
  {
    name: "forward auth at the browser's address of the identity provider",
    changes: [loop, (e) => void (forwardAuth(e)["address"] = `${AUTHENTIK}/outpost.goauthentik.io/auth/traefik`)],
    expected: ["loop", "route configuration"],
    message: `Middleware default/${FORWARD_AUTH} sends authentication requests to another address than the outpost's`,
  },
  {
    name: "forward auth that begins a login each time",
    changes: [loop, (e) => void (forwardAuth(e)["address"] = "http://10.43.1.2:9000/outpost.goauthentik.io/start")],
    expected: ["loop", "route configuration"],
    message: `Middleware default/${FORWARD_AUTH} sends authentication requests to another address than the outpost's`,
  },
  {
    name: "the outpost's path is not routed",
    changes: [loop, remove("IngressRoute authentik/gatehouse-outpost-localhost")],
    expected: ["loop", "route configuration"],
    message: expect.stringMatching(/^IngressRoute authentik\/gatehouse-outpost-localhost is missing/) as string,
  },
  {
    name: "the identity provider's own host has no route",
    changes: [loop, remove("IngressRoute authentik/gatehouse-identity-provider")],
    expected: ["loop", "route configuration"],
    message:
      "IngressRoute authentik/gatehouse-identity-provider is missing, so another route may serve authentik.localhost, authentik.mesh.example.org",
  },
];

describe("trusted origins", () => testEach(TRUSTED));
describe("provider configuration", () => testEach(PROVIDER));
describe("route configuration, of a loop", () => testEach(LOOPING_ROUTES));

describe("remedies other than a deployment", () => {
  test("what somebody changed is deleted first: the engine takes no field from who owns it", () => {
    const found = diagnosed(WIKI, [loop, (e) => void (forwardAuth(e)["authRequestHeaders"] = [])]);
    expect(found.cause?.hint).toBe(
      `delete the changed object, kubectl --context rancher-desktop delete middleware.traefik.io ${FORWARD_AUTH} ` +
        "--namespace default, and run ./deploy rancher-desktop --refresh",
    );
  });

  test("refreshes two resources only when the identity provider has no route", () => {
    const gone = remove("IngressRoute authentik/gatehouse-identity-provider");
    for (const url of [WIKI, AUTHENTIK]) {
      expect(diagnosed(url, [gone]).cause?.hint).toBe(
        "refresh only these, pulumi refresh --stack dev --target '**::gatehouse-identity-provider-route' " +
          "--target '**::authentik/*-middleware', then run ./deploy rancher-desktop; do not refresh the stack before",
      );
    }
  });
});
