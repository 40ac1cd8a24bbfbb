import { type Paint, signOf } from "../../terminal/paint.ts";
import { counts, type ReportedCheck, stateOf, summary } from "../check.ts";
import type { Report } from "./doctor.ts";
import { argument } from "../../text.ts";

/** @param given name of the cluster for the next command @returns the checks by subject, each in one line, with the hint below one that failed or was skipped, and a summary. */
export function describe({ context, stack, checks }: Report, given: string, paint: Paint): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const groups = [...Map.groupBy(checks, ({ subject }) => subject)].map(([subject, own]) =>
    [paint("bold", subject), ...own.flatMap((one) => linesOf(one, width, paint))].join("\n"),
  );
  return `${[paint("bold", `${context} (stack ${stack})`), ...groups, ending(given, checks)].join("\n\n")}\n`;
}

function linesOf(result: ReportedCheck, width: number, paint: Paint): string[] {
  const state = stateOf(result);
  const { name, detail, hint = "" } = result;
  const indent = " ".repeat(width + 6);
  const shown = detail.replaceAll("\n", `\n${indent}`);
  const head = `  ${signOf(state, paint)} ${name.padEnd(width)}  ${state === "passed" ? paint("dim", shown) : shown}`;
  return state === "passed" || hint === "" ? [head] : [head, `${indent}${paint("yellow", "→")} ${hint}`];
}

function ending(given: string, checks: readonly ReportedCheck[]): string {
  const next =
    summary(checks).failed > 0
      ? `Fix what failed, then run: npx gatehouse doctor ${argument(given)}`
      : `Nothing prevents the deployment: npx gatehouse deploy ${argument(given)}`;
  return `${counts(checks)}. ${next}`;
}
