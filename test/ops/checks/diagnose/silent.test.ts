/** What harms before anybody sees a symptom. */
import { describe, expect } from "vitest";
import type { Evidence } from "../../../../ops/checks/diagnose/evidence.ts";
import { application, type Case, middleware, route, signedIn, testEach, WIKI, LOGIN } from "./changes.ts";
import { inside, type Open } from "./world.ts";

const bindings = (e: Open<Evidence>) => inside(e.identity).bindings;
const SILENT: Case[] = [
  {
    name: "the strip is gone from a route",
    changes: [
      (e) =>
        route(e).rules.forEach((rule) => (rule.middlewares = rule.middlewares.filter((one) => !one.endsWith("strip")))),
    ],
    expected: ["none", "route configuration"],
    problem: expect.stringContaining(
      "lacks default/gatehouse-strip: forged X-idp-* headers reach the application",
    ) as string,
  },
  {
    name: "the strip drops less",
    changes: [(e) => void middleware(e, "gatehouse-strip").requestHeaders.delete("x_idp_username")],
    expected: ["none", "route configuration"],
    problem: "Middleware default/gatehouse-strip does not remove forged identity headers",
  },
  {
    name: "no group is bound",
    changes: [(e) => void bindings(e).set(application(e).id, [])],
    expected: ["none", "groups"],
    problem: 'application "wiki-localhost" is bound to no group, so it admits every user',
  },
  {
    name: "another group is bound",
    changes: [
      signedIn(
        WIKI,
        [
          [302, `${WIKI}/`],
          [200, LOGIN],
        ],
        { text: "denied" },
      ),
      (e) => void bindings(e).set(application(e).id, ["guests"]),
    ],
    expected: ["access", "groups"],
    problem:
      'application "wiki-localhost" denies users who are only in "staff"; application "wiki-localhost" admits "guests", which is not planned',
  },
];

describe("what only the records show", () => testEach(SILENT));
