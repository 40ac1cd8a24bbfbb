import { describe, expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { problemsOf, sections, shell, stack } from "../stacks.ts";

const VERIFIED = { pushgateway: "http://pushgateway.monitoring:9091" };
const settingsOf = (observability: unknown, others: Record<string, unknown> = {}) =>
  parseStack(stack({ observability, ...others }), shell);

describe("gatehouse:observability", () => {
  test("is undefined when it is missing", () => {
    expect(parseStack(stack(), shell).observability).toBeUndefined();
  });

  test("defaults to a dashboard without labels", () => {
    expect(settingsOf({ namespace: "monitoring" }).observability).toEqual({
      namespace: "monitoring",
      labels: {},
      dashboard: true,
    });
    const labels = { release: "prometheus", "example.org/team": "" };
    expect(settingsOf({ namespace: "monitoring", labels, dashboard: false }).observability).toEqual({
      namespace: "monitoring",
      labels,
      dashboard: false,
    });
  });

  test("warns of missing alerts without a Pushgateway", () => {
    const warning =
      "observability: there are no alerts for failed checks, expiring certificates and late data. " +
      "Set pushgateway in gatehouse:verification.";
    const warningsOf = (others: Record<string, unknown>) => settingsOf({ namespace: "monitoring" }, others).warnings;
    expect(warningsOf({}).filter((text) => text.startsWith("observability"))).toEqual([warning]);
    expect(warningsOf({ verification: {} })).toContain(warning);
    expect(warningsOf({ verification: VERIFIED })).not.toContain(warning);
    expect(parseStack(stack(), shell).warnings).not.toContain(warning);
  });

  test.each<[string, unknown, Record<string, unknown>, string[]]>([
    [
      "without a namespace",
      {},
      {},
      [
        "observability.namespace: missing. Add it: Namespace of an existing Prometheus with its operator. It can read the metrics; its objects are created there.",
      ],
    ],
    [
      "that is not a section",
      true,
      {},
      ["observability: found a boolean, expected a section. Write its keys below it, indented."],
    ],
    [
      "with labels that are none, and an unknown key",
      { namespace: "monitoring", labels: { release: "a b" }, dashboards: true },
      {},
      [
        'observability.labels.release: found "a b", expected the value of a Kubernetes label. Use at most 63 letters, digits and . _ -.',
        'observability.dashboards: unknown key. Did you mean "dashboard"?',
      ],
    ],
    [
      "together with a reader of Postgres' own",
      { namespace: "monitoring" },
      {
        postgres: { password: "${POSTGRES}", install: { kind: "cloudnativepg", monitoring: "monitoring" } },
        data_api: { ...sections.data_api, version: "v14.17" },
      },
      ["postgres.install.monitoring: gatehouse:observability already configures monitoring. Remove it."],
    ],
  ])("is refused %s", (_, observability, others, problems) => {
    expect(problemsOf(stack({ observability, ...others }))).toEqual(problems);
  });
});
