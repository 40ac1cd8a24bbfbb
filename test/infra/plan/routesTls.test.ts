import { describe, expect, test } from "vitest";
import { basic, oauth2, proxy } from "../../config/stacks.ts";
import { NO_TUNNEL } from "./matches.ts";
import { chainsOf, onMesh, rules, rulesOf, withoutHash } from "./rules.ts";

describe("HTTP on an https domain", () => {
  const HOST = `Host(\`wiki.mesh.example.org\`) && ${NO_TUNNEL}`;

  test("redirects to HTTPS, with the authentication of the exposure after the redirect and without public paths", () => {
    const plan = onMesh({}, proxy({ public_paths: ["/health"] }));
    expect(chainsOf(plan, "wiki")).toEqual([
      [HOST, ["gatehouse-https", "gatehouse-strip", "gatehouse-target", "gatehouse-outpost-all-users-forward-auth"]],
    ]);
    expect(rulesOf(plan, "wiki")).toEqual([[HOST, 100, "forward-auth", undefined]]);
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    ["oauth2", oauth2({ name: "wiki" }), []],
    [
      "oauth2 with enforce: gateway",
      oauth2({ name: "wiki", enforce: "gateway" }),
      ["gatehouse-outpost-all-users-forward-auth"],
    ],
    ["basic", basic({ name: "wiki", domains: "auto" }), ["wiki-basic-auth"]],
  ])("has the authentication of %s behind the redirect", (_, service, behind) => {
    expect(chainsOf(onMesh({}, service), "wiki")).toEqual([
      [HOST, ["gatehouse-https", "gatehouse-strip", "gatehouse-target", ...behind]],
    ]);
  });

  test("redirects to the port of the domain", () => {
    const plan = onMesh({ port: 8443 }, proxy({}));
    expect(chainsOf(plan, "wiki")).toEqual([
      [
        HOST,
        ["gatehouse-https-8443", "gatehouse-strip", "gatehouse-target", "gatehouse-outpost-all-users-forward-auth"],
      ],
    ]);
    expect(plan.middlewares.filter(({ kind, namespace }) => kind === "redirect" && namespace === "default")).toEqual([
      { name: "gatehouse-https-8443", kind: "redirect", port: 8443, namespace: "default" },
    ]);
  });
});

describe("TLS that is terminated before the gateway", () => {
  const plan = onMesh(
    { tls: "upstream" },
    proxy({ public_paths: ["/health"] }),
    oauth2({}),
    basic({ domains: "auto" }),
  );

  test("has one route, on HTTP, without a redirect", () => {
    expect(plan.routes.filter(({ namespace }) => namespace === "default")).toMatchObject([
      { name: "wiki", entryPoint: "web", tls: undefined },
      { name: "grafana", entryPoint: "web", tls: undefined },
      { name: "legacy", entryPoint: "web", tls: undefined },
    ]);
    expect(plan.middlewares.filter(({ kind }) => kind === "redirect")).toEqual([]);
  });

  test("sets the protocol after the strip and before any authentication", () => {
    const forwarded = ["gatehouse-strip", "gatehouse-target", "gatehouse-upstream"];
    expect(rules(plan, "wiki").map(({ middlewares }) => middlewares.map(withoutHash))).toEqual([
      forwarded,
      [
        ...forwarded,
        "gatehouse-background",
        "gatehouse-outpost-all-users-forward-auth-401-upstream",
        "gatehouse-background-end",
      ],
      [...forwarded, "gatehouse-outpost-all-users-forward-auth-upstream"],
    ]);
    expect(rules(plan, "grafana").map(({ middlewares }) => middlewares)).toEqual([forwarded]);
    expect(rules(plan, "legacy").map(({ middlewares }) => middlewares)).toEqual([[...forwarded, "legacy-basic-auth"]]);
    expect(rules(plan, "gatehouse-outpost-mesh").map(({ middlewares }) => middlewares)).toEqual([
      forwarded,
      [...forwarded, "gatehouse-sign-in-error"],
    ]);
  });
});
