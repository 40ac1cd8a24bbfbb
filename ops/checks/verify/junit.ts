/** A report as JUnit XML, which CI systems show: one suite per subject. */
import exported, { type Builder } from "junit-report-builder";
import { stateOf } from "../check.ts";
import type { ProbeCheck } from "./probe.ts";
import type { Report } from "./verify.ts";

// The package (5.1.2) exports a builder, and its types a module that has one.
const builder = exported as unknown as Builder;

/** Returns the checks of a verification as JUnit XML: a suite for each subject. */
export function junit({ checks, context, at, seconds }: Pick<Report, "checks" | "context" | "at" | "seconds">): string {
  const report = builder.newBuilder();
  for (const [subject, own] of Map.groupBy(checks, (check) => check.subject)) {
    const suite = report.testSuite().name(subject).timestamp(at).property("context", context);
    for (const check of own) {
      const test = suite.testCase().className(`gatehouse.${check.kind}`).name(check.name);
      if (stateOf(check) === "failed") test.failure(lines(check));
      else if (stateOf(check) === "skipped") test.skipped().standardOutput(lines(check));
      else test.standardOutput(check.detail);
    }
    suite.property("seconds of the whole run", String(seconds));
  }
  return report.build();
}

function lines({ detail, response, hint }: ProbeCheck): string {
  return [detail, response, hint].filter((line) => line !== undefined).join("\n");
}
