import { type Paint, signOf } from "../../terminal/paint.ts";
import { counts, type ReportedCheck, stateOf, summary } from "../check.ts";
import type { Report } from "./doctor.ts";

/** Returns the checks by subject, each in one line, with the hint below one that failed or was skipped, and a summary. */
export function describe({ context, stack, checks }: Report, paint: Paint): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const groups = [...Map.groupBy(checks, ({ subject }) => subject)].map(([subject, own]) =>
    [paint("bold", subject), ...own.flatMap((one) => linesOf(one, width, paint))].join("\n"),
  );
  return `${[paint("bold", `${context} (stack ${stack})`), ...groups, ending(context, checks)].join("\n\n")}\n`;
}

function linesOf(result: ReportedCheck, width: number, paint: Paint): string[] {
  const state = stateOf(result);
  const { name, detail, hint = "" } = result;
  const indent = " ".repeat(width + 6);
  const shown = detail.replaceAll("\n", `\n${indent}`);
  const head = `  ${signOf(state, paint)} ${name.padEnd(width)}  ${state === "passed" ? paint("dim", shown) : shown}`;
  return state === "passed" || hint === "" ? [head] : [head, `${indent}${paint("yellow", "→")} ${hint}`];
}

function ending(context: string, checks: readonly ReportedCheck[]): string {
  const next =
    summary(checks).failed > 0
      ? `Fix what failed, then run: npx gatehouse doctor ${context}`
      : `Nothing prevents the deployment: npx gatehouse deploy ${context}`;
  return `${counts(checks)}. ${next}`;
}
