/** The causes of a sign-in that fails, from generated evidence. */
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
  PROVIDER,
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
    name: "applies when authentik has another origin than browsers use",
    changes: [loop, (e) => void (e.ownOrigin = { value: "https://authentik.localhost" })],
    expected: ["loop", "trusted origins"],
    message: `the identity provider has the origin https://authentik.localhost, but browsers use ${AUTHENTIK}: it refuses their logins`,
  },
  {
    name: "applies when authentik refuses the browser's Origin",
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
    name: "applies when the outpost has no authentik_host",
    changes: [loop, (e) => void (outpost(e).config.authentik_host = "")],
    expected: ["loop", "trusted origins"],
    message: `the outpost redirects to another origin than ${AUTHENTIK}`,
  },
  {
    name: "precedes the provider configuration",
    changes: [loop, (e) => void (outpost(e).config.authentik_host = WIKI), (e) => void (proxy(e).mode = "proxy")],
    expected: ["loop", "trusted origins", "also provider configuration"],
    message: `the outpost redirects to another origin than ${AUTHENTIK}`,
  },
];

const CASES: Case[] = [
  {
    name: "applies when the provider is missing",
    changes: [noProvider, (e) => without(inside(e.identity).proxies, proxy(e))],
    expected: ["sign-in", "provider configuration"],
    message: `provider "${PROVIDER}" is missing`,
  },
  ...(["external_host", "mode", "cookie_domain", "access_token_validity"] as const).map((field) => ({
    name: `applies when the provider has another ${field}`,
    changes: [loop, (e: Open<Evidence>) => void (proxy(e)[field] = "http://other.localhost")],
    expected: ["loop", "provider configuration"],
    message: `provider "${PROVIDER}" differs from the plan`,
  })),
  {
    name: "applies when the application is missing",
    changes: [noProvider, (e) => without(inside(e.identity).applications, application(e))],
    expected: ["sign-in", "provider configuration"],
    message: 'application "wiki-localhost" is missing, so no outpost serves its provider',
  },
  {
    name: "applies when the application has another slug",
    changes: [loop, (e) => void (application(e).slug = "wiki")],
    expected: ["loop", "provider configuration"],
    message: 'the slug of application "wiki-localhost" was changed',
  },
  {
    name: "applies when the application has another provider",
    changes: [noProvider, (e) => void (application(e).provider = null)],
    expected: ["sign-in", "provider configuration"],
    message: 'application "wiki-localhost" has another provider than its own',
  },
  {
    name: "applies when the provider is not attached to the outpost",
    changes: [noProvider, (e) => void (outpost(e).providers = outpost(e).providers.slice(1))],
    expected: ["sign-in", "provider configuration"],
    message: `provider "${PROVIDER}" is not attached to its outpost`,
  },
  {
    name: "applies when the outpost is missing",
    changes: [noProvider, (e) => void (inside(e.identity).outposts = [])],
    expected: ["sign-in", "provider configuration"],
    message: `outpost "${OUTPOST}" is missing`,
  },
  {
    name: "applies when an oauth2 client has no redirect URI",
    url: "http://grafana.localhost",
    changes: [(e) => void (the(inside(e.identity).clients, ({ name }) => name === "grafana").redirect_uris = [])],
    expected: ["none", "provider configuration"],
    message: 'provider "grafana" has no redirect URI on http://grafana.localhost',
  },
];

const LOOPING_ROUTES: Case[] = [
  {
    name: "applies when forward auth does not send the cookie",
    changes: [loop, (e) => void (forwardAuth(e)["authRequestHeaders"] = ["Accept"])],
    expected: ["loop", "route configuration"],
    message: `Middleware default/${FORWARD_AUTH} does not forward the planned request headers to the outpost, such as the session`,
  },
  {
    name: "applies when forward auth uses the public address of the identity provider",
    changes: [loop, (e) => void (forwardAuth(e)["address"] = `${AUTHENTIK}/outpost.goauthentik.io/auth/traefik`)],
    expected: ["loop", "route configuration"],
    message: `Middleware default/${FORWARD_AUTH} sends authentication requests to another address than the outpost's`,
  },
  {
    name: "applies when forward auth starts a login for each request",
    changes: [loop, (e) => void (forwardAuth(e)["address"] = "http://10.43.1.2:9000/outpost.goauthentik.io/start")],
    expected: ["loop", "route configuration"],
    message: `Middleware default/${FORWARD_AUTH} sends authentication requests to another address than the outpost's`,
  },
  {
    name: "applies when the outpost's path has no route",
    changes: [loop, remove("IngressRoute authentik/gatehouse-outpost-localhost")],
    expected: ["loop", "route configuration"],
    message: expect.stringMatching(/^IngressRoute authentik\/gatehouse-outpost-localhost is missing/) as string,
  },
  {
    name: "applies when the identity provider's own host has no route",
    changes: [loop, remove("IngressRoute authentik/gatehouse-identity-provider")],
    expected: ["loop", "route configuration"],
    message:
      "IngressRoute authentik/gatehouse-identity-provider is missing, so another route may serve authentik.localhost, authentik.mesh.example.org",
  },
];

describe("trusted origins", () => testEach(TRUSTED));
describe("provider configuration", () => testEach(CASES));
describe("route configuration", () => testEach(LOOPING_ROUTES));

describe("hints", () => {
  test("advises to delete a changed object before a deployment", () => {
    const found = diagnosed(WIKI, [loop, (e) => void (forwardAuth(e)["authRequestHeaders"] = [])]);
    expect(found.cause?.hint).toBe(
      `delete the changed object, kubectl --context rancher-desktop delete middleware.traefik.io ${FORWARD_AUTH} ` +
        "--namespace default, and run npx gatehouse deploy rancher-desktop --refresh",
    );
  });

  test.each<[string, (evidence: Open<Evidence>) => void, string[], string]>([
    [
      "lists every field that differs, and advises to empty what --refresh leaves as it is",
      (e) => void Object.assign(proxy(e), { skip_path_regex: "^/a\n^/b", cookie_domain: "localhost" }),
      [
        String.raw`skip_path_regex of provider "${PROVIDER}" is "^/a\n^/b", planned: "[^\\s\\S]"`,
        `cookie_domain of provider "${PROVIDER}" is "localhost", planned: ""`,
      ],
      `in authentik, empty cookie_domain of provider "${PROVIDER}", which --refresh leaves as it is; ` +
        "then npx gatehouse deploy rancher-desktop --refresh restores the planned state",
    ],
    [
      "advises no deployment when only such a field differs",
      (e) => void (proxy(e).cookie_domain = "localhost"),
      [`cookie_domain of provider "${PROVIDER}" is "localhost", planned: ""`],
      `in authentik, empty cookie_domain of provider "${PROVIDER}", which --refresh leaves as it is`,
    ],
    [
      "advises a deployment with --refresh when another field differs",
      (e) => void (proxy(e).mode = "proxy"),
      [`mode of provider "${PROVIDER}" is "proxy", planned: "forward_single"`],
      "npx gatehouse deploy rancher-desktop --refresh restores the planned state",
    ],
  ])("%s", (_, change, evidence, hint) => {
    expect(diagnosed(WIKI, [change]).cause).toMatchObject({ subject: "provider configuration", evidence, hint });
  });

  test("advises to refresh two resources only when the identity provider has no route", () => {
    const gone = remove("IngressRoute authentik/gatehouse-identity-provider");
    for (const url of [WIKI, AUTHENTIK]) {
      expect(diagnosed(url, [gone]).cause?.hint).toBe(
        "refresh only these, pulumi refresh --stack dev --target '**::gatehouse-identity-provider-route' " +
          "--target '**::authentik/*-middleware', then run npx gatehouse deploy rancher-desktop; do not refresh the stack before",
      );
    }
  });
});
