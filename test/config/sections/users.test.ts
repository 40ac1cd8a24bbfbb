/** Names and email addresses of users in `identity_provider`. */
import { expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { problemsOf, sections, shell, stack } from "../stacks.ts";

test.each([
  "admin",
  "admin@host",
  "two words@example.org",
  "Admin <admin@example.org>",
  "bjørn@example.org",
  "first..last@example.org",
  ".first@example.org",
  "admin@192.0.2.1",
  "admin@sso.k8s",
  "admin@LOCALHOST",
  "admin@-example.org",
  `${"a".repeat(243)}@example.org`,
])("rejects the email address %j, with which the first start of authentik creates no administrator", (email) => {
  const alice = { username: "alice", name: "Alice", email, password: "${SECRET}" };
  const found = (fields: Record<string, unknown>) =>
    problemsOf(stack({ domains: { localhost: {} }, identity_provider: { ...sections.identity_provider, ...fields } }));
  const problem = "is not an email address. Write it like admin@example.org.";
  expect(found({ admin_email: email })).toEqual([`identity_provider.admin_email: ${problem}`]);
  expect(found({ sample_users: [alice] })).toEqual([`identity_provider.sample_users[0].email: ${problem}`]);
});

test("accepts an email address at localhost, and checks one in a variable", () => {
  const provider = (admin_email: string) =>
    stack({ identity_provider: { ...sections.identity_provider, admin_email } });
  const email = (text: string) => parseStack(provider(text), shell).identityProvider.adminEmail;
  expect(email("root@localhost")).toBe("root@localhost");
  expect(email("admin@blåbær.no")).toBe("admin@blåbær.no");
  expect(problemsOf(provider("${TOKEN}"))).toEqual([
    "identity_provider.admin_email: is not an email address. Write it like admin@example.org.",
  ]);
});

test("rejects names and addresses that differ in case only: a sign-in finds the first user with either", () => {
  const user = (username: string, email: string) => ({ username, name: "A", email, password: "${SECRET}" });
  const raw = (...sample_users: object[]) =>
    stack({ domains: { localhost: {} }, identity_provider: { ...sections.identity_provider, sample_users } });
  const problem = "is the name or the email address of two users. Give each user and service account its own.";
  expect(problemsOf(raw(user("Ola", "ola@example.org"), user("ola", "other@example.org")))).toEqual([
    `identity_provider: "ola" ${problem}`,
  ]);
  expect(problemsOf(raw(user("ola@example.org", "ola@example.org"), user("eva", "Ola@Example.org")))).toEqual([
    `identity_provider: "ola@example.org" ${problem}`,
  ]);
  expect(problemsOf(raw(user("ola", "Admin@Gatehouse.localhost")))).toEqual([
    `identity_provider: "admin@gatehouse.localhost" ${problem}`,
  ]);
  expect(problemsOf(raw(user("AnonymousUser", "a@example.org")))).toEqual([
    'identity_provider: user "AnonymousUser" is authentik\'s own. Give each user and service account another name.',
  ]);
  expect(parseStack(raw(user("ola@example.org", "ola@example.org")), shell).warnings).toEqual([]);
});
