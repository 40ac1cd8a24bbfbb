import { expect, onTestFinished, test } from "vitest";
import { observeIdentity } from "../../../../ops/checks/diagnose/evidence/identity.ts";
import { startAuthentikLists } from "../../../helpers/authentikLists.ts";
import { inside } from "./evidence.ts";

const applications = Array.from({ length: 130 }, (_, index) => ({
  pk: `app-${index}`,
  slug: `app-${index}`,
  name: `App ${index}`,
  provider: index,
  accessible: index === 0,
}));
const bindings = [
  ...Array.from({ length: 210 }, (_, index) => ({
    target: `app-${index % 130}`,
    group: `group-${index < 130 ? "a" : "b"}`,
    policy_obj: null,
    enabled: true,
  })),
  { target: "app-129", group: null, policy_obj: { name: "gatehouse-groups" }, enabled: true, negate: true },
  { target: "app-129", user: 7, user_obj: { username: "bob" }, enabled: true },
  { target: "app-129", user: 8, enabled: true },
  { target: "app-129", user: 9, user_obj: { username: "gone" }, enabled: false },
];
const groups = [
  { pk: "group-a", name: "staff" },
  { pk: "group-b", name: "admins" },
];

test("reads no records with a token that is not a superuser's, whose lists may be partial", async () => {
  const { url, close } = await startAuthentikLists({ "/core/applications/": applications }, false);
  onTestFinished(close);
  expect(await observeIdentity(url, { value: "token" })).toEqual({
    unavailable: "the identity provider's records: its token is not a superuser's",
  });
});

test("reads every page, and the applications that the token's user may not access", async () => {
  const lists = { "/core/applications/": applications, "/policies/bindings/": bindings, "/core/groups/": groups };
  const { url, close } = await startAuthentikLists(lists);
  onTestFinished(close);
  const found = inside(await observeIdentity(url, { value: "token" }));
  expect(found.applications.map(({ slug }) => slug)).toEqual(applications.map(({ slug }) => slug));
  expect(found.bindings.get("app-79")).toEqual([
    { kind: "group", name: "staff", negate: false },
    { kind: "group", name: "admins", negate: false },
  ]);
  expect(found.bindings.get("app-129")).toEqual([
    { kind: "group", name: "staff", negate: false },
    { kind: "policy", name: "gatehouse-groups", negate: true },
    { kind: "user", name: "bob", negate: false },
    { kind: "user", name: "8", negate: false },
  ]);
  expect(found.groups).toEqual(new Set(["staff", "admins"]));
});
