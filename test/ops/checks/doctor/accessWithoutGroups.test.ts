import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { parseStack } from "../../../../config/load.ts";
import { withAuthentik } from "../../../../infra/identity/authentikApi.ts";
import { computePlan } from "../../../../infra/plan/plan.ts";
import { accessWithoutGroups } from "../../../../ops/checks/doctor/identityProvider.ts";
import { proxy, shell, stack } from "../../../config/stacks.ts";

/** Returns the checks of a stack with one service. @param status of the settings of authentik */
async function checks(groups: readonly string[], flags: object, status = 200) {
  const server = createServer((_, response) => void response.writeHead(status).end(JSON.stringify({ flags })));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const identity_provider = { install: false, url: "https://sso.example.org", token: "${TOKEN}" };
  const service = proxy({ name: "wiki", ...(groups.length > 0 && { groups }) });
  const fields = { identity_provider, protected_services: [service], test_environments: { enabled: false } };
  const settings = parseStack(stack({ ...fields, data_api: undefined }), shell);
  const target = { plan: computePlan(settings) };
  return withAuthentik(url, "token", (api) => accessWithoutGroups(api, target));
}

test("reports services without groups if authentik admits no user to an application without bindings", async () => {
  const off = { core_default_app_access: false };
  expect(await checks([], off)).toEqual([
    {
      name: "access without groups",
      ok: false,
      detail: "authentik admits no user to an application without bindings; services without groups: wiki",
      hint:
        "set groups of wiki, or turn core_default_app_access on in authentik (System > Settings > Flags: " +
        '"Require policies for application access"; on = every user)',
    },
  ]);
  expect(await checks(["staff"], off)).toEqual([]);
});

test("passes with a flag that is on or was never set, and is left out if the token may not read it", async () => {
  const passed = [
    { name: "access without groups", ok: true, detail: "applications without bindings admit every user" },
  ];
  expect(await checks([], { core_default_app_access: true })).toEqual(passed);
  expect(await checks([], {})).toEqual(passed);
  expect(await checks([], {}, 403)).toEqual([]);
});
