import { expect, test } from "vitest";
import { changedIn, NOT_READ, withUpdates } from "../../../../ops/engine/recovery/interruptedChanges.ts";
import type { Resource } from "../../../../ops/engine/state/state.ts";

const ROUTE = "kubernetes:traefik.io/v1alpha1:IngressRoute";
const ROLE = "postgresql:index/role:Role";
const USER = "authentik:index/user:User";

test("knows what was updated or deleted from the record and from the pending operations", () => {
  const resource = (urn: string): Resource => ({ urn, type: ROUTE });
  const recorded = [resource("created"), { ...resource("updated"), changed: "update" as const }];
  const pending = ["creating", "updating", "deleting", "reading"].map((type) => ({ type, resource: resource(type) }));
  expect(changedIn(recorded, pending)).toEqual([
    { urn: "updated", type: ROUTE, changed: "update" },
    { urn: "updating", type: ROUTE, changed: "update" },
    { urn: "deleting", type: ROUTE, changed: "delete" },
  ]);
});

test("updates objects of the cluster again, and sets passwords of roles again", () => {
  const route = { urn: "route", type: ROUTE, inputs: { spec: 1 } };
  const role = { urn: "role", type: ROLE, inputs: { name: "owner", password: "old" }, outputs: { password: "old" } };
  const others = [
    { urn: "component", type: "gatehouse:index:Gatehouse", custom: false },
    { urn: "provider", type: "pulumi:providers:kubernetes", inputs: { password: "p" } },
    { urn: "route", type: ROUTE, delete: true },
    { urn: "new", type: ROUTE, initErrors: [NOT_READ] },
    { urn: "user", type: USER, inputs: { password: "old" } },
    { urn: "other", type: ROUTE },
  ];
  const changed = ["route", "role", "component", "provider", "new", "user"].map((urn) => {
    return { urn, type: ROUTE, changed: "update" as const };
  });
  expect(withUpdates([route, role, ...others], changed)).toEqual([
    { ...route, initErrors: ["the deployment was interrupted"] },
    { urn: "role", type: ROLE, inputs: { name: "owner" }, outputs: {} },
    ...others,
  ]);
});
