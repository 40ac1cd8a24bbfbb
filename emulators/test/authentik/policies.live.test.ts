/** Who may use an application, by its bindings to groups and policies (measured on 2026.5, docs/authentik.md). */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Authentik } from "../../authentik/server.ts";
import { authorize, call, callback, codeFor, deploy, list, start } from "./deployment.ts";
import type { Json } from "./deployment.ts";

let authentik: Authentik;
let user: Json;

beforeAll(async () => {
  authentik = await start();
  await authentik.ready;
  await deploy(authentik.url);
  user = (await list(authentik.url, "/core/users/?username=bob"))[0] ?? {};
});
afterAll(() => authentik.close());

test("refuses an expression with a syntax error, in a policy and in a scope mapping", async () => {
  const refused = async (path: string, more: Json) => {
    const headers = { authorization: "Bearer bootstrap", "content-type": "application/json" };
    const body = JSON.stringify({ name: "wrong", expression: "return (", ...more });
    const answer = await fetch(`${authentik.url}/api/v3${path}`, { method: "POST", headers, body });
    return [answer.status, (await answer.json()) as Json];
  };
  const refusal = (file: string) => [
    400,
    { expression: [`Expression Syntax Error: '(' was never closed (${file}, line 2)`] },
  ];
  expect(await refused("/policies/expression/", {})).toEqual(refusal("temp-policy"));
  expect(await refused("/propertymappings/provider/scope/", { scope_name: "wrong" })).toEqual(refusal("None"));
});

test("denies a user outside the bound groups at the authorize endpoint, without a code", async () => {
  const target = (await call(authentik.url, "GET", "/core/applications/identity/"))["pk"];
  const group = (await list(authentik.url, "/core/groups/?name=authentik+Admins"))[0]?.["pk"];
  const binding = await call(authentik.url, "POST", "/policies/bindings/", { target, group, order: 0 });
  const { browser, code } = await codeFor(authentik.url, authorize());
  const answer = await browser.request(authorize());
  expect([code, answer.status, answer.headers.get("location")]).toEqual(["", 200, null]);
  expect(await answer.text()).toContain("Permission denied");
  await call(authentik.url, "DELETE", `/policies/bindings/${String(binding["pk"])}/`);
  expect((await browser.request(authorize())).headers.get("location")).toContain(`${callback}?code=`);
});

test("admits everyone again when the group of the only binding is deleted", async () => {
  const target = (await call(authentik.url, "GET", "/core/applications/identity/"))["pk"];
  const group = (await call(authentik.url, "POST", "/core/groups/", { name: "short-lived" }))["pk"];
  await call(authentik.url, "POST", "/policies/bindings/", { target, group, order: 0 });
  const { browser } = await codeFor(authentik.url, authorize());
  expect((await browser.request(authorize())).status).toBe(200);
  await call(authentik.url, "DELETE", `/core/groups/${String(group)}/`);
  expect((await browser.request(authorize())).status).toBe(302);
});

test("admits by an expression policy the members of its groups, and denies by one that fails", async () => {
  const target = (await call(authentik.url, "GET", "/core/applications/identity/"))["pk"];
  const admins = (await list(authentik.url, "/core/groups/?name=authentik+Admins"))[0]?.["pk"];
  const child = await call(authentik.url, "POST", "/core/groups/", { name: "child", parents: [admins] });
  const own = `/core/users/${user["pk"] as number}/`;
  const expressionOf = (groups: unknown) => `return ak_is_group_member(request.user, pk__in=${JSON.stringify(groups)})`;
  const fields = { name: "members", expression: expressionOf([admins]) };
  const policy = (await call(authentik.url, "POST", "/policies/expression/", fields))["pk"];
  const path = `/policies/expression/${String(policy)}/`;
  const binding = await call(authentik.url, "POST", "/policies/bindings/", { target, policy, order: 0 });
  expect((binding["policy_obj"] as { name: string }).name).toBe("members");
  const { browser } = await codeFor(authentik.url, authorize());
  const admitted = async () => (await browser.request(authorize())).status === 302;
  expect(await admitted()).toBe(false);
  await call(authentik.url, "PATCH", own, { groups: [child["pk"]] });
  expect(await admitted()).toBe(true);
  await call(authentik.url, "PATCH", path, { expression: expressionOf(["00000000-0000-0000-0000-000000000000"]) });
  expect(await admitted()).toBe(false);
  await call(authentik.url, "PATCH", path, { expression: "return 1 / 0" });
  expect(await admitted()).toBe(false);
  // Deleting a policy deletes its bindings, and without a binding everyone is admitted.
  await call(authentik.url, "PATCH", own, { groups: [] });
  await call(authentik.url, "DELETE", path);
  expect(await list(authentik.url, `/policies/bindings/?target=${String(target)}`)).toEqual([]);
  expect(await admitted()).toBe(true);
});
