import { describe, expect, test } from "vitest";
import { service, authentik, ingress, imported, reasonsOf, REPORTS, STAFF } from "./cluster.ts";

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
    [
      { "traefik.ingress.kubernetes.io/router.priority": "high" },
      undefined,
      "its annotation router.priority is not an integer",
    ],
    [{}, "/admin", "no rule serves the whole host, and an entry does"],
  ])("is not imported with %j and the path %s", (changes, path, reason) => {
    expect(Object.values(reasonsOf(of(changes, path)))).toEqual([[reason]]);
  });

  test("has the length of its rule as priority if its priority is 0", () => {
    const found = of({ "traefik.ingress.kubernetes.io/router.priority": "0" });
    expect(found.mapped.map(({ priority }) => priority)).toEqual([
      `Host("reports.example.org") && PathPrefix("/")`.length,
    ]);
  });

  test("is not imported with an annotation of Traefik in another case", () => {
    const key = "traefik.ingress.kubernetes.io/Router.middlewares";
    expect(Object.values(reasonsOf(of({ [key]: "apps-office@kubernetescrd" })))).toEqual([
      [`its annotation ${key} has no equivalent`],
    ]);
  });

  test("is read with the annotation of Traefik 1 that authentik writes", () => {
    expect(of({ "traefik.ingress.kubernetes.io/affinity": "true" }).unmapped.size).toBe(0);
  });

  test("is not imported with a backend whose Service has annotations of Traefik", () => {
    const key = "traefik.ingress.kubernetes.io/service.serversscheme";
    const web = { ...service("apps/reports-web"), props: { metadata: { annotations: { [key]: "https" } } } };
    const main = ingress("apps/reports", "reports.example.org", "reports-web", annotations);
    const found = imported([web, authentik("apps/sso"), main], { identity: STAFF });
    expect(Object.values(reasonsOf(found))).toEqual([
      [`its Service apps/reports-web has the annotation ${key}, which has no equivalent`],
    ]);
  });
});
