import { expect, test } from "vitest";
import { changedIn, withUpdates } from "../../../../ops/engine/recovery/changed.ts";
import type { Resource } from "../../../../ops/engine/state/state.ts";

const ROUTE = "kubernetes:traefik.io/v1alpha1:IngressRoute";
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

test("updates objects of the cluster again, and sets passwords again, which no server returns", () => {
  const route = { urn: "route", type: ROUTE, inputs: { spec: 1 } };
  const user = { urn: "user", type: USER, inputs: { username: "inge", password: "old" }, outputs: { password: "old" } };
  const others = [
    { urn: "component", type: "gatehouse:index:Gatehouse", custom: false },
    { urn: "provider", type: "pulumi:providers:kubernetes", inputs: { password: "p" } },
    { urn: "route", type: ROUTE, delete: true },
    { urn: "other", type: ROUTE },
  ];
  const changed = ["route", "user", "component", "provider"].map((urn) => ({
    ...{ urn, type: urn === "user" ? USER : ROUTE, changed: "update" as const },
  }));
  expect(withUpdates([route, user, ...others], changed)).toEqual([
    { ...route, initErrors: ["the deployment was interrupted"] },
    { urn: "user", type: USER, inputs: { username: "inge" }, outputs: {} },
    ...others,
  ]);
});
