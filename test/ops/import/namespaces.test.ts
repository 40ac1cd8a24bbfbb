import { expect, test } from "vitest";
import { optionsOf } from "../../../infra/prerequisites/staticOptions.ts";
import { allowsCrossNamespace } from "../../../ops/import/middlewares.ts";
import { authentik, HOST, imported, middleware, reasonsOf, REPORTS, route, rule, service, STAFF } from "./cluster.ts";

const LOADED = "which Traefik loads with allowCrossNamespace only";
const OBJECTS = [...REPORTS, authentik("hr/sso"), service("hr/payroll")];
const PAYROLL = { services: [{ name: "payroll", namespace: "hr", port: 80 }] };
const chained = middleware("apps/chained", "chain", { middlewares: [{ name: "sso", namespace: "hr" }] });

const cases: Record<string, [object, string]> = {
  "a Service": [rule(HOST, "", ["sso"], PAYROLL), `its Service hr/payroll is in another namespace, ${LOADED}`],
  "a Middleware": [
    rule(HOST, "reports-web", [], { middlewares: [{ name: "sso", namespace: "hr" }] }),
    `its Middleware hr/sso is in another namespace, ${LOADED}`,
  ],
  "a Middleware of a chain": [
    rule(HOST, "reports-web", ["chained"]),
    `its Middleware hr/sso is in another namespace than Middleware apps/chained, ${LOADED}`,
  ],
};

test.each(Object.entries(cases))("refuses a route with %s of another namespace", (_, [own, reason]) => {
  const found = imported([...OBJECTS, chained, route("apps/reports", [own])], { identity: STAFF });
  expect([found.entries, reasonsOf(found)]).toEqual([[], { [HOST]: [reason] }]);
});

test.each(Object.entries(cases))("writes a route with %s of another namespace if Traefik loads it", (_, [own]) => {
  const manifests = [...OBJECTS, chained, route("apps/reports", [own])];
  const options = optionsOf(["--providers.kubernetesCRD.allowCrossNamespace"]);
  expect(imported(manifests, { identity: STAFF, options }).entries.length).toBe(1);
});

test.each([
  [[], false],
  [["--providers.kubernetescrd"], false],
  [["--providers.kubernetescrd.allowCrossNamespace=false"], false],
  [["--providers.kubernetesCRD.allowCrossNamespace=true"], true],
  [["--providers.kubernetescrd.allowCrossNamespace"], true],
])("reads from the arguments %j whether Traefik loads them: %s", (args, allowed) => {
  expect(allowsCrossNamespace(optionsOf(args))).toBe(allowed);
});
