import { describe, expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { problemsOf, sections, shell, stack } from "../stacks.ts";

const ACCOUNT = { name: "verifier", namespace: "gatehouse-verification" };
const withSection = (verification: unknown, accounts: readonly unknown[] = [ACCOUNT]) =>
  stack({ verification, identity_provider: { ...sections.identity_provider, service_accounts: accounts } });

describe("gatehouse:verification", () => {
  test("creates no job when the section is missing", () => {
    expect(parseStack(stack(), shell).verification).toBeUndefined();
  });

  test("creates an hourly job without sign-in checks when the section is empty", () => {
    expect(parseStack(withSection({}), shell).verification).toEqual({
      schedule: "17 * * * *",
      namespace: "gatehouse-verification",
      account: undefined,
      pushgateway: undefined,
    });
  });

  test("accepts all of its fields", () => {
    const section = {
      schedule: "*/15 0-5 * * 1,3",
      namespace: "checks",
      account: "verifier",
      pushgateway: "http://push:9091",
    };
    expect(parseStack(withSection(section, [{ name: "verifier", namespace: "checks" }]), shell).verification).toEqual(
      section,
    );
  });

  test.each([
    [
      { schedule: "50-10 * * * *" },
      'verification.schedule: found "50-10 * * * *", expected ranges from the lower number to the higher one. Write it like 8-18.',
    ],
    [
      { schedule: "hourly" },
      'verification.schedule: found "hourly", expected a schedule of five fields. Write it like "17 * * * *", in quotes.',
    ],
    [
      { schedule: "60 * * * *" },
      'verification.schedule: found "60 * * * *", expected a schedule of five fields. Write it like "17 * * * *", in quotes.',
    ],
    [
      { schedule: "17 * * * 7" },
      'verification.schedule: found "17 * * * 7", expected a schedule of five fields. Write it like "17 * * * *", in quotes.',
    ],
    [
      { schedule: "17 * * *" },
      'verification.schedule: found "17 * * *", expected a schedule of five fields. Write it like "17 * * * *", in quotes.',
    ],
    [
      { pushgateway: "push:9091" },
      'verification.pushgateway: found "push:9091", expected an address without user, password and port 0. Write it like http://pushgateway.monitoring:9091.',
    ],
    [
      { pushgateway: "http://push:0/metrics" },
      'verification.pushgateway: found "http://push:0/metrics", expected an address without user, password and port 0. Write it like http://pushgateway.monitoring:9091.',
    ],
    [{ scheduel: "* * * * *" }, 'verification.scheduel: unknown key. Did you mean "schedule"?'],
    [
      { account: "unknown" },
      'verification.account: "unknown" is not in identity_provider.service_accounts. Add { name: unknown, namespace: gatehouse-verification } there.',
    ],
    [
      { namespace: "gatehouse-data" },
      'verification.namespace: namespace "gatehouse-data" is already used by data_api. Set another namespace.',
    ],
  ])("rejects %j", (section, problem) => {
    expect(problemsOf(withSection(section))).toEqual([problem]);
  });

  test("rejects an address with a password, without a secret value in the message", () => {
    const [problem = ""] = problemsOf(withSection({ pushgateway: "http://me:canary@push:9091" }));
    expect(problem).toContain("expected an address without user, password and port 0");
  });

  test("reports an invalid namespace once", () => {
    const problems = problemsOf(withSection({ account: "verifier", namespace: "In Valid" }, [{ name: "verifier" }]));
    expect(problems).toEqual([expect.stringMatching(/^verification\.namespace: /)]);
  });

  test("rejects an account whose Secret is in another namespace", () => {
    expect(problemsOf(withSection({ account: "verifier" }, [{ name: "verifier" }]))).toEqual([
      'verification.account: its Secret is in namespace "default", but the job runs in "gatehouse-verification". ' +
        "Set namespace: gatehouse-verification for that service account.",
    ]);
  });
});
