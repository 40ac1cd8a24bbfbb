/** What the arguments of Traefik state about its entry points. */
import { describe, expect, test } from "vitest";
import { optionsOf } from "../../../infra/prerequisites/staticOptions.ts";
import type { Manifest } from "../../../manifests/resource.ts";
import {
  authentik,
  HOST,
  imported,
  ingress,
  middleware,
  NEW,
  proxies,
  reasonsOf,
  REPORTS,
  route,
  rule,
  service,
  stackWith,
} from "./cluster.ts";

/** Arguments of Traefik in k3s. */
const K3S = [
  "--entryPoints.web.address=:8000/tcp",
  "--entryPoints.websecure.address=:8443/tcp",
  "--entryPoints.websecure.http.tls=true",
];
const MAIN = rule(HOST, "reports-web", ["sso"]);
/** A route without TLS that names no entry point. */
const EVERYWHERE = route("apps/reports", [MAIN], { entryPoints: [] });
const ONLY_WEB = "it is served on the entry point web only, no longer on all";
const REDIRECTED = "requests over HTTP are redirected to HTTPS";

function importWith(
  args: readonly string[],
  manifests: readonly Manifest[] = [EVERYWHERE],
  { target = NEW, external = "https" } = {},
) {
  const provider = { external_host: `${external}://reports.example.org` };
  const identity = proxies({ slug: "reports", host: "reports.example.org", provider });
  const found = imported([...REPORTS, ...manifests], { identity, options: optionsOf(args) }, target);
  const differences = found.differences.get("reports.example.org") ?? [];
  return {
    reasons: Object.values(reasonsOf(found)).flat(),
    kinds: found.kinds.map(({ protocol, tls }) => ({ protocol, tls })),
    domains: found.entries.map(({ fields }) => fields["domains"]),
    differences: differences.filter((one) => /entry point|redirected|certificate/.test(one)),
  };
}

const onDomain = (tls: unknown) =>
  stackWith({ domains: { external: { enabled: true, base_domain: "example.org", protocol: "https", tls } } });

describe("a route without TLS and entry points", () => {
  const NOTHING = { reasons: [], kinds: [], domains: [["external"]] };
  const NEW_KIND = { reasons: [], domains: [["example-org"]] };

  test.each([
    ["its entry point has TLS", K3S, { termination: "default" }],
    [
      "its entry point has a resolver",
      ["--entrypoints.websecure.http.tls.certresolver=acme"],
      { termination: "resolver", name: "acme" },
    ],
  ])("is on a new domain with HTTPS if %s", (_, args, tls) => {
    expect(importWith(args)).toEqual({ ...NEW_KIND, kinds: [{ protocol: "https", tls }], differences: [REDIRECTED] });
  });

  test.each([
    ["its entry point has none", ["--entryPoints.websecure.http.tls=false"], [ONLY_WEB]],
    ["the arguments are not known", [], [ONLY_WEB]],
    ["another one is the default", [...K3S, "--entryPoints.web.asDefault=true"], []],
  ])("is on a new domain behind a proxy with TLS if %s", (_, args, differences) => {
    const kinds = [{ protocol: "https", tls: { termination: "upstream" } }];
    expect(importWith(args)).toEqual({ ...NEW_KIND, kinds, differences });
  });

  test("is on a new domain with HTTP if its application is", () => {
    const kinds = [{ protocol: "http", tls: undefined }];
    expect(importWith(K3S, [EVERYWHERE], { external: "http" })).toEqual({
      ...NEW_KIND,
      kinds,
      differences: [ONLY_WEB],
    });
  });

  test("is on the domain of the stack, with or without HTTPS at the gateway", () => {
    const certificate = 'its certificate is that of the domain kind "external"';
    expect(importWith(K3S, [EVERYWHERE], { target: onDomain({ resolver: "acme" }) })).toEqual({
      ...NOTHING,
      differences: [REDIRECTED, certificate],
    });
    expect(importWith(K3S, [EVERYWHERE], { target: onDomain("upstream") })).toEqual({
      ...NOTHING,
      differences: [ONLY_WEB],
    });
  });

  test("is redirected to HTTPS as before by its middleware", () => {
    const https = middleware("apps/https", "redirectScheme", { scheme: "https" });
    const main = route("apps/reports", [rule(HOST, "reports-web", ["https", "sso"])], { entryPoints: [] });
    expect(importWith(K3S, [https, main])).toEqual({
      ...NEW_KIND,
      kinds: [{ protocol: "https", tls: { termination: "default" } }],
      differences: [],
    });
  });
});

test.each([[[]], [["websecure"]]])(
  "refuses a route on the entry points %j, whose TLS options the new one lacks",
  (on) => {
    const args = [...K3S, "--entryPoints.websecure.http.tls.options=default-mtls@kubernetescrd"];
    expect(importWith(args, [route("apps/reports", [MAIN], { entryPoints: on })]).reasons).toEqual([
      "its tls.options has no equivalent (it can demand client certificates)",
    ]);
  },
);

describe("an Ingress with a certificate", () => {
  const SSO = { "traefik.ingress.kubernetes.io/router.middlewares": "apps-sso@kubernetescrd" };
  const secured = (annotations: object): Manifest => {
    const found = ingress("apps/reports", "reports.example.org", "reports-web", { ...SSO, ...annotations });
    const tls = [{ hosts: ["reports.example.org"], secretName: "wildcard" }];
    return { ...found, spec: { ...found.spec, tls } };
  };

  test.each([{}, { "traefik.ingress.kubernetes.io/router.entrypoints": "websecure" }])(
    "is on HTTPS with it if its entry point has TLS, with %j",
    (annotations) => {
      expect(importWith(K3S, [secured(annotations)])).toEqual({
        reasons: [],
        kinds: [{ protocol: "https", tls: { termination: "secret", name: "wildcard" } }],
        domains: [["example-org"]],
        differences: [REDIRECTED],
      });
    },
  );

  test.each([
    [K3S, "web"],
    [[], "websecure"],
  ])("is refused with the arguments %j on %s, whose TLS is not known", (args, entryPoint) => {
    const annotations = { "traefik.ingress.kubernetes.io/router.entrypoints": entryPoint };
    expect(importWith(args, [secured(annotations)]).reasons).toEqual([
      "it has a certificate, but no annotation traefik.ingress.kubernetes.io/router.tls, so that its protocol depends on the entry point",
    ]);
  });
});

describe("a route on an entry point with middlewares", () => {
  const OPEN = [service("apps/open"), route("apps/open", [rule("Host(`open.example.org`)", "open")])];
  const manifests = [
    authentik("auth/authentik"),
    middleware("auth/chained", "chain", { middlewares: [{ name: "authentik" }] }),
    middleware("auth/plugin", "plugin", { oidc: {} }),
    middleware("auth/limit", "rateLimit", { average: 5 }),
    ...OPEN,
  ];
  const reasonsWith = (option: string) =>
    Object.values(reasonsOf(imported(manifests, { options: optionsOf([option]) }))).flat();
  const instead = (entryPoint: string) =>
    `to every route, also to those of the stack. Add it to the routes that need it, instead of --entryPoints.${entryPoint}.http.middlewares`;

  test.each([
    [
      "--entryPoints.web.http.middlewares=auth-limit@kubernetescrd,auth-authentik@kubernetescrd",
      "Middleware auth/authentik (forwardAuth)",
    ],
    ["--entrypoints.web.http.middlewares[0]=auth-chained@kubernetescrd", "Middleware auth/chained (forwardAuth)"],
    ["--entryPoints.web.http.middlewares=auth-plugin@kubernetescrd", "Middleware auth/plugin (plugin)"],
    ["--entryPoints.web.http.middlewares=auth@file", "Middleware auth@file (unknown)"],
  ])("is refused with %s", (option, what) => {
    expect(reasonsWith(option)).toEqual([`its entry point web adds ${what} ${instead("web")}`]);
  });

  test.each([
    "--entryPoints.web.http.middlewares=auth-limit@kubernetescrd",
    "--entryPoints.websecure.http.middlewares=auth-authentik@kubernetescrd",
  ])("is open to everyone with %s, which admits all requests or is of another entry point", (option) => {
    expect(reasonsWith(option)).toEqual([expect.stringMatching(/^it is open to everyone/)]);
  });
});
