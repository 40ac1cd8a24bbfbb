import { describe, expect, test } from "vitest";
import {
  changedBack,
  driftReport,
  hostLines,
  nextReport,
  previewReport,
  verificationReport,
  skippedPolicyReport,
  failureReport,
  recoveryLines,
} from "../../../ops/deployment/report.ts";
import type { Operation, Step } from "../../../ops/engine/step.ts";
import type { Paint } from "../../../ops/terminal/paint.ts";

const plain: Paint = (_, text) => text;
const step = (operation: Operation, type: string, name: string, paths: readonly string[] = []): Step => {
  return { operation, type, name, urn: `urn::${type}::${name}`, paths };
};

test("prints in red that the policy pack is skipped", () => {
  expect(skippedPolicyReport((format, text) => `<${format}>${text}`)).toBe(
    "<red>Policy pack: skipped (--skip-policy). No rule of docs/policy.md is checked in this deployment.",
  );
});

describe("the preview", () => {
  test("groups created and deleted resources by kind, and lists the changed properties of the others", () => {
    const steps = [
      step("delete", "Secret", "old-users"),
      step("create", "IngressRoute", "wiki-route"),
      step("update", "IngressRoute", "grafana-route", ["spec.routes[0].match", "spec.routes[0].middlewares"]),
      step("create", "ProxyProvider", "wiki-localhost-provider"),
      step("create", "IngressRoute", "blog-route"),
      step("replace", "ProviderProxy", "admin-localhost-provider", ["externalHost"]),
    ];
    expect(previewReport(steps, 118, plain)).toBe(
      [
        "Resources: 3 to create, 1 to update, 1 to replace, 1 to delete, 118 unchanged",
        "  + IngressRoute wiki-route, blog-route",
        "  + ProxyProvider wiki-localhost-provider",
        "  ~ IngressRoute grafana-route: spec.routes[0].match, spec.routes[0].middlewares",
        "  ± ProviderProxy admin-localhost-provider: externalHost",
        "  - Secret old-users",
      ].join("\n"),
    );
  });

  test("truncates long lists, and prints how many are left out", () => {
    const names = Array.from({ length: 9 }, (_, i) => step("create", "Middleware", `m${i}`));
    const paths = ["a", "b", "c", "d", "e", "f"];
    expect(previewReport([...names, step("update", "Deployment", "server", paths)], 0, plain)).toBe(
      [
        "Resources: 9 to create, 1 to update, 0 unchanged",
        "  + Middleware m0, m1, m2, m3, m4, m5, and 3 more",
        "  ~ Deployment server: a, b, c, d, and 2 more",
      ].join("\n"),
    );
  });

  test("is one line without changes", () => {
    expect(previewReport([], 118, plain)).toBe("Resources: no changes, 118 unchanged");
  });

  test("has a colour for each operation", () => {
    const paint: Paint = (format, text) => `<${format}>${text}`;
    expect(previewReport([step("delete", "Secret", "x")], 1, paint)).toBe(
      "Resources: 1 to delete, 1 unchanged\n  <red>- Secret x",
    );
  });
});

describe("drift", () => {
  test("lists each resource", () => {
    const steps = [step("update", "IngressRoute", "wiki-route", ["spec.routes"]), step("delete", "Secret", "users")];
    expect(driftReport(steps, plain)).toBe(
      "Drift: 2 resources differ\n  ! IngressRoute wiki-route: spec.routes\n  ! Secret users is missing",
    );
    expect(driftReport(steps.slice(1), plain)).toBe("Drift: 1 resource differs\n  ! Secret users is missing");
  });

  test("is only what the deployment changes back", () => {
    const members = step("update", "Group", "staff", ["users"]);
    const route = step("update", "IngressRoute", "wiki-route", ["spec.routes"]);
    const deleted = step("delete", "Secret", "users");
    const planned = [step("update", "IngressRoute", "wiki-route"), step("create", "Secret", "users")];
    expect(changedBack([members, route, deleted], planned)).toEqual([route, deleted]);
  });

  test("is reported as none", () => {
    expect(driftReport([], plain)).toBe("Drift: none");
  });
});

describe("a failure", () => {
  const planned = [
    step("create", "Middleware", "a"),
    step("create", "IngressRoute", "b"),
    step("delete", "Secret", "c"),
  ];
  const hosts = [
    { url: "http://a.localhost", state: "closed", answered: "302" },
    { url: "http://b.localhost", state: "closed", answered: "401" },
    { url: "http://c.localhost", state: "open", answered: "200" },
    { url: "http://d.localhost", state: "unreachable", answered: "ECONNREFUSED" },
  ] as const;

  test("prints the cause, completed and missing steps, and open hosts", () => {
    const failure = {
      errors: ["b: the API server does not answer\ntry again"],
      planned,
      done: planned.slice(0, 1),
      failed: planned.slice(1, 2),
      hosts,
    };
    expect(failureReport(failure, plain)).toBe(
      [
        "Errors",
        "  b: the API server does not answer",
        "  try again",
        "",
        "Current state",
        "  1 of 3 changes were made.",
        "  Failed: IngressRoute b.",
        "  Not started: Secret c.",
        "  2 protected URLs refuse requests without a session.",
        "  OPEN: http://c.localhost returns 200 for a request without a session.",
        "  1 protected URL could not be checked: http://d.localhost (ECONNREFUSED).",
      ].join("\n"),
    );
  });

  test("prints that nothing was changed", () => {
    const failure = { errors: ["no"], planned: [], done: [], failed: [], hosts: hosts.slice(0, 1) };
    expect(failureReport(failure, plain)).toBe(
      [
        "Errors",
        "  no",
        "",
        "Current state",
        "  Nothing was deployed.",
        "  1 protected URL refuses requests without a session.",
      ].join("\n"),
    );
  });

  test("prints nothing about hosts without protected ones", () => {
    expect(hostLines([], plain)).toEqual([]);
  });
});

test("prints each failed check of the verification", () => {
  const checks = [
    { name: "http://a.localhost without a session", ok: true, detail: "302" },
    { name: "http://b.localhost without a session", ok: false, detail: "expected status 302, got 200" },
  ];
  expect(verificationReport(checks, plain)).toBe(
    "1 passed, 1 failed\n  ✖ http://b.localhost without a session: expected status 302, got 200",
  );
  expect(nextReport(["npx gatehouse deploy dev"])).toBe("Next commands\n  npx gatehouse deploy dev");
});

test("lists what a recovery could not read, and what to do", () => {
  expect(recoveryLines([], [])).toEqual([]);
  expect(recoveryLines(["urn::a", "urn::b"], ["urn::a"])).toEqual([
    "Recovered 2 resources of an interrupted deployment.",
    "1 object could not be read or is still being deleted: a. Deploy again after this deployment.",
  ]);
});
