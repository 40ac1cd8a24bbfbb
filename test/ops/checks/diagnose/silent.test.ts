/** Problems that have no symptom yet. */
import { describe, expect, test } from "vitest";
import type { Evidence } from "../../../../ops/checks/diagnose/evidence.ts";
import type { ObservedBinding } from "../../../../ops/checks/diagnose/evidence/identity.ts";
import { application, type Case, diagnosed, object, rules, signedIn, testEach, WIKI, LOGIN } from "./changes.ts";
import { brief, inside, type Open, the } from "./evidence.ts";

/** Returns the enabled bindings of an application, to be changed. */
function boundOf({ identity }: Open<Evidence>, slug: string) {
  const { applications, bindings } = inside(identity);
  return bindings.get(the(applications, (one) => one.slug === slug).pk) ?? [];
}
const bound = (e: Open<Evidence>) => boundOf(e, "wiki-localhost");
const binding = (kind: ObservedBinding["kind"], name: string) => ({ kind, name, negate: false });
const STRIP = "Middleware default/gatehouse-strip";
interface Headers {
  customRequestHeaders: Record<string, string>;
}
const SILENT: Case[] = [
  {
    name: "names the route for a missing strip middleware",
    changes: [
      (e) =>
        rules(e).forEach((rule) => (rule.middlewares = rule.middlewares.filter(({ name }) => !name.endsWith("strip")))),
    ],
    expected: ["none", "route configuration"],
    message: expect.stringContaining("does not remove forged identity headers") as string,
  },
  {
    name: "names the route for a strip middleware that removes fewer headers",
    changes: [(e) => void delete (object(e, STRIP).spec["headers"] as Headers).customRequestHeaders["X-Idp-Jwt"]],
    expected: ["none", "route configuration"],
    message: `${STRIP} does not remove the planned request headers, such as forged identity headers`,
  },
  {
    name: "names the groups for an application without a binding",
    changes: [(e) => void bound(e).splice(0)],
    expected: ["none", "groups"],
    message: 'application "wiki-localhost" is bound to no group, so it admits every user',
  },
  {
    name: "names a group that authentik does not have",
    changes: [(e) => void inside(e.identity).groups.delete("staff")],
    expected: ["none", "groups"],
    message: 'application "wiki-localhost" admits no user for "staff", which authentik does not have',
  },
  {
    name: "names the groups for a binding to another group",
    changes: [
      signedIn(
        WIKI,
        [
          [302, `${WIKI}/`],
          [200, LOGIN],
        ],
        { text: "denied" },
      ),
      (e) => void bound(e).splice(0, 1, binding("group", "guests")),
    ],
    expected: ["access", "groups"],
    message:
      'application "wiki-localhost" denies users who are only in "staff"; application "wiki-localhost" admits "guests", which is not planned',
  },
  {
    name: "names the groups for an additional binding to a user",
    changes: [(e) => void bound(e).push(binding("user", "bob"))],
    expected: ["none", "groups"],
    message: 'application "wiki-localhost" admits user "bob", which is not planned',
  },
  {
    name: "names the groups for a binding to a user only",
    changes: [(e) => void bound(e).splice(0, 1, binding("user", "bob"))],
    expected: ["none", "groups"],
    message:
      'application "wiki-localhost" denies users who are only in "staff"; application "wiki-localhost" admits user "bob", which is not planned',
  },
  {
    name: "names the groups for an additional binding to a policy",
    changes: [(e) => void bound(e).push(binding("policy", "office-hours"))],
    expected: ["none", "groups"],
    message: 'application "wiki-localhost" admits users of policy "office-hours", which is not planned',
  },
  {
    name: "names the groups for the planned policy in a negated binding",
    changes: [(e) => bound(e).forEach((one) => (one.negate = true))],
    expected: ["none", "groups"],
    message:
      'application "wiki-localhost" denies users who are only in "staff"; application "wiki-localhost" admits every user except "staff", by a negated binding',
  },
  {
    name: "names the groups for an additional negated binding",
    changes: [(e) => void bound(e).push({ ...binding("group", "guests"), negate: true })],
    expected: ["none", "groups"],
    message: 'application "wiki-localhost" admits every user except "guests", by a negated binding',
  },
  {
    name: "names the groups when a user has to pass all of several bindings",
    changes: [
      (e) => void (application(e).policy_engine_mode = "all"),
      (e) => void bound(e).push({ ...binding("user", "bob"), negate: true }, binding("group", "guests")),
    ],
    expected: ["none", "groups"],
    message:
      'application "wiki-localhost" denies users who are only in "staff"; application "wiki-localhost" admits a user only if all of its bindings do',
  },
  {
    name: "names the groups for a binding where the plan admits every user",
    url: "http://shop.localhost",
    changes: [(e) => void boundOf(e, "shop-localhost").push(binding("user", "bob"))],
    expected: ["none", "groups"],
    message: 'application "shop-localhost" admits only user "bob"; the plan admits every user',
  },
];

const REDEPLOY = "npx gatehouse deploy rancher-desktop --refresh";
const RESTORE_BOTH = `run ${REDEPLOY}, which restores the binding of Gatehouse; then, in authentik, delete every other binding of application "wiki-localhost"`;

test.each<[string, (evidence: Open<Evidence>) => void, string, string]>([
  [
    "a binding of another user",
    (e) => void bound(e).push(binding("user", "bob")),
    'bound to: "staff", user "bob"; planned: "staff"',
    RESTORE_BOTH,
  ],
  [
    "a negated binding",
    (e) => bound(e).forEach((one) => (one.negate = true)),
    'bound to: not "staff"; planned: "staff"',
    `${REDEPLOY} restores the planned state`,
  ],
  [
    "a second binding to the planned policy",
    (e) => void bound(e).push(...bound(e).map((one) => ({ ...one, negate: true }))),
    'bound to: "staff", not "staff"; planned: "staff"',
    RESTORE_BOTH,
  ],
  [
    "a missing binding",
    (e) => void bound(e).splice(0),
    'bound to: none; planned: "staff"',
    `${REDEPLOY} restores the planned state`,
  ],
])("advises what to do about %s", (_, change, evidence, hint) => {
  expect(diagnosed(WIKI, [change]).cause).toMatchObject({ subject: "groups", evidence: [evidence], hint });
});

test("advises to delete a binding where the plan admits every user", () => {
  const change = (e: Open<Evidence>) => void boundOf(e, "shop-localhost").push(binding("user", "bob"));
  expect(diagnosed("http://shop.localhost", [change]).cause).toMatchObject({
    evidence: ['bound to: user "bob"; planned: none'],
    hint: 'in authentik, delete every binding of application "shop-localhost"',
  });
});

test("reports no symptom for one binding with another policy engine mode", () => {
  expect(brief(diagnosed(WIKI, [(e) => void (application(e).policy_engine_mode = "all")]))).toEqual(["none", "none"]);
});

describe("differences without a symptom", () => testEach(SILENT));
