import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent } from "undici";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseStack } from "../../../../config/load.ts";
import { computePlan } from "../../../../infra/plan/plan.ts";
import { rights } from "../../../../ops/checks/doctor/rights.ts";
import { AuthentikApi } from "../../../../infra/identity/authentikApi.ts";
import { oauth2, proxy, shell, stack } from "../../../config/stacks.ts";

/** Permissions of the token's user, as `<verb> <path>`; the responses are those of a real authentik (docs/authentik.md). */
const granted = new Set<string>();
const server = createServer((request, response) => {
  const path = new URL(request.url ?? "", "http://x").pathname.replace("/api/v3", "");
  const isOptions = request.method === "OPTIONS";
  const status = isOptions || granted.has(`view ${path}`) ? 200 : 403;
  const actions = granted.has(`add ${path}`) ? { actions: { POST: {} } } : {};
  const body = isOptions ? { name: "List", ...actions } : { results: [], pagination: { next: 0 } };
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
});
const dispatcher = new Agent();
let api: AuthentikApi;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  api = new AuthentikApi(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, "token", dispatcher);
});
afterAll(async () => {
  await dispatcher.close();
  server.close();
});

const NAME = "rights of the token";
const limited = { username: "limited", is_superuser: false };

function target(services: readonly object[], fields: object = {}) {
  const identity_provider = { install: false, url: "https://sso.example.org", token: "${TOKEN}", ...fields };
  const others = { test_environments: { enabled: false }, data_api: undefined };
  const settings = parseStack(stack({ identity_provider, protected_services: services, ...others }), shell);
  return { settings, plan: computePlan(settings) };
}

test("passes for a superuser", async () => {
  expect(await rights(api, { username: "akadmin", is_superuser: true }, target([proxy({})]))).toEqual([
    { name: NAME, ok: true, detail: "akadmin is a superuser" },
  ]);
});

test.each([
  ["forward auth", target([proxy({})])],
  ["a service account", target([oauth2({})], { service_accounts: [{ name: "robot" }] })],
])("requires a superuser for %s", async (reason, stack) => {
  expect(await rights(api, limited, stack)).toEqual([
    {
      name: NAME,
      ok: false,
      detail: "identity_provider.token: limited is not a superuser",
      hint: `create a token of a superuser (Directory > Tokens and App passwords): ${reason} needs tokens of other users, which only a superuser can create`,
    },
  ]);
});

test("requires permissions on each type of object for oauth2 services alone, and lists the missing ones", async () => {
  const stack = target([oauth2({})], { groups: ["staff"] });
  const paths = [
    "/providers/oauth2/",
    "/propertymappings/provider/scope/",
    "/core/applications/",
    "/policies/bindings/",
    "/policies/expression/",
  ];
  for (const path of [...paths, "/core/groups/"]) granted.add(`view ${path}`).add(`add ${path}`);
  granted.delete("add /core/applications/");
  granted.add("view /flows/instances/");
  expect((await rights(api, limited, stack))[0]).toMatchObject({
    ok: false,
    detail:
      "identity_provider.token: limited lacks\nauthentik_core.add_application\nauthentik_crypto.view_certificatekeypair",
    hint: "assign these permissions to a role of the user (Directory > Roles), together with change and delete (not of groups)",
  });
  granted.add("add /core/applications/").add("view /crypto/certificatekeypairs/");
  expect(await rights(api, limited, stack)).toEqual([
    { name: NAME, ok: true, detail: "limited may read and create every type of object" },
  ]);
});
