/** Values that authentik's serializers refuse though they fit its API schema, with the messages of its source (2026.5). */
import { beforeAll, expect, test } from "vitest";
import { restApi } from "../../authentik/rest.ts";
import { createDefaults } from "./defaults.ts";
import type { Json } from "./deployment.ts";
import { testRuntime } from "./runtime.ts";

const runtime = testRuntime();
const api = restApi(runtime);
const scope = { name: "own", expression: "return {}" };
const user = { name: "A", username: "a" };

async function call(method: string, path: string, body: Json): Promise<{ status: number; body: Json }> {
  const headers = { authorization: "Bearer token", "content-type": "application/json" };
  const answer = await api.request(path, { method, headers, body: JSON.stringify(body) });
  return { status: answer.status, body: (await answer.json()) as Json };
}

beforeAll(() => createDefaults(runtime, { token: "token" }));

test.each<[string, Json, string, string]>([
  [
    "/propertymappings/provider/scope/",
    { ...scope, scope_name: "a b" },
    "scope_name",
    "Value must not contain spaces.",
  ],
  [
    "/core/applications/",
    { name: "a", slug: "a", meta_launch_url: "javascript:alert(1)" },
    "meta_launch_url",
    "Enter a valid URL.",
  ],
  ["/core/tokens/", { identifier: "a", intent: "recovery" }, "intent", "Invalid intent recovery"],
  [
    "/core/users/",
    { ...user, type: "internal_service_account" },
    "type",
    "Setting a user to internal service account is not allowed.",
  ],
  ["/core/users/", { ...user, path: "/a/" }, "path", "No leading or trailing slashes allowed."],
  ["/core/users/", { ...user, path: "a//b" }, "path", "No empty segments in user path allowed."],
  ["/core/users/", { ...user, email: "a@example" }, "email", "Enter a valid email address."],
  ["/core/groups/", { name: "a\0b" }, "name", "Null characters are not allowed."],
])("refuses at %s %j", async (path, body, field, message) => {
  expect(await call("POST", path, body)).toEqual({ status: 400, body: { [field]: [message] } });
});

test.each(["", "https://wiki.example.org/a?b", "blank://blank", "https://%(username)s.example.org"])(
  "accepts the launch URL %j",
  async (meta_launch_url) => {
    const slug = `launch-${meta_launch_url.length}`;
    expect((await call("POST", "/core/applications/", { name: slug, slug, meta_launch_url })).status).toBe(201);
  },
);

test("accepts a@localhost, and creates no administrator with an invalid email address", async () => {
  expect((await call("POST", "/core/users/", { ...user, email: "a@localhost" })).status).toBe(201);
  const empty = testRuntime();
  expect(() => createDefaults(empty, { token: "token", email: "admin@example" })).toThrow(
    "email: Enter a valid email address.",
  );
  expect(empty.store.find("user", { username: "akadmin" })).toBe(undefined);
});

test("refuses every change of the account of an outpost, and another user for a token", async () => {
  const { pk } = runtime.store.list("user").find(({ type }) => type === "internal_service_account") ?? { pk: 0 };
  const change = async (body: Json) => (await call("PATCH", `/core/users/${pk}/`, body)).body;
  expect(await change({ name: "Other" })).toEqual({
    non_field_errors: ["Can't modify internal service account users"],
  });
  expect(await change({ type: "internal" })).toEqual({
    type: ["Can't change internal service account to other user type."],
  });
  expect((await call("PATCH", "/core/tokens/authentik-bootstrap-token/", { user: pk })).body).toEqual({
    user: ["User cannot be changed"],
  });
});
