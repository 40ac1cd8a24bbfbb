/** Problems that have no symptom yet. */
import { describe, expect } from "vitest";
import type { Evidence } from "../../../../ops/checks/diagnose/evidence.ts";
import { application, type Case, object, rules, signedIn, testEach, WIKI, LOGIN } from "./changes.ts";
import { inside, type Open } from "./evidence.ts";

const bindings = (e: Open<Evidence>) => inside(e.identity).bindings;
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
    changes: [(e) => void bindings(e).set(application(e).pk, [])],
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
      (e) => void bindings(e).set(application(e).pk, ["guests"]),
    ],
    expected: ["access", "groups"],
    message:
      'application "wiki-localhost" denies users who are only in "staff"; application "wiki-localhost" admits "guests", which is not planned',
  },
];

describe("differences without a symptom", () => testEach(SILENT));
