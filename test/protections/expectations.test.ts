import { expect, test } from "vitest";
import { protectionOf } from "../../protections/table.ts";
import { basic, oauth2, proxy } from "../config/stacks.ts";
import { planOf } from "../infra/plan/stacks.ts";

const LOGIN = {
  page: { kind: "login" },
  refusals: [
    {
      name: "without a session, from a background request",
      headers: { "x-requested-with": "XMLHttpRequest" },
      status: 401,
    },
  ],
  signIn: "session",
};
const APPLICATION = { page: { kind: "application" }, refusals: [], signIn: "application" };
const PASSWORD = {
  page: {
    kind: "status",
    status: 401,
    header: { label: "realm", name: "www-authenticate", value: 'Basic realm="legacy"' },
  },
  refusals: [
    {
      name: "with a wrong password",
      headers: { authorization: "Basic Z2F0ZWhvdXNlLXVua25vd246d3Jvbmc=" },
      status: 401,
    },
  ],
  signIn: "password",
};
const OPEN = { page: { kind: "status", status: 200 }, refusals: [], signIn: undefined };

test.each<[string, Record<string, unknown>, string, unknown]>([
  ["a redirect to the login for a proxy service", proxy({}), "wiki@localhost", LOGIN],
  ["a refusal by the application for an oauth2 service", oauth2({}), "grafana@localhost", APPLICATION],
  ["a redirect to the login with enforce: gateway", oauth2({ enforce: "gateway" }), "grafana@localhost", LOGIN],
  [
    "a redirect to the login for the test environment of an oauth2 service",
    oauth2({}),
    "whoami-grafana@localhost",
    LOGIN,
  ],
  ["a password for a basic service", basic({}), "legacy@localhost", PASSWORD],
  ["a password for the test environment of a basic service", basic({}), "whoami-legacy@localhost", PASSWORD],
  ["an open identity provider", proxy({}), "authentik@localhost", OPEN],
])("expects %s", (_, service, id, expectation) => {
  const exposure = planOf({ localhost: true }, service).exposures.find((one) => one.id === id);
  expect(exposure && protectionOf(exposure.protection).expectation(exposure)).toEqual(expectation);
});
