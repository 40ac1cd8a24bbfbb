/** The text of a deployment: the preview before the confirmation, and the result. Pure. */
import { type Paint, SIGNS } from "../terminal/paint.ts";
import type { Check } from "../checks/check.ts";
import { counted, firstOf } from "../text.ts";
import { sentence } from "../checks/verify/report.ts";
import type { HostState } from "./protectedHosts.ts";
import { lastOf, nameOf, type Operation, OPERATIONS, type Step } from "../engine/step.ts";

const MARKS: Readonly<Record<Operation, string>> = { create: "+", update: "~", replace: "±", delete: "-" };
const COLOURS = { create: "green", update: "yellow", replace: "yellow", delete: "red" } as const;
/** Maximum names of one type on a line; `--json` contains all. */
const MAX_NAMES = 6;
/** Maximum paths of one resource on its line. */
const MAX_PATHS = 4;
/** Maximum lines of failed checks, hosts and changes. */
const MAX_LINES = 20;

/** Returns the resources that would change: creations and deletions by type, others with the paths that differ. Contains no values. */
export function previewReport(steps: readonly Step[], unchanged: number, paint: Paint): string {
  const counts = OPERATIONS.flatMap((operation) => {
    const count = steps.filter((step) => step.operation === operation).length;
    return count === 0 ? [] : [`${count} to ${operation}`];
  });
  if (counts.length === 0) return `Resources: no changes, ${unchanged} unchanged`;
  const lines = OPERATIONS.flatMap((operation) => {
    const some = steps.filter((step) => step.operation === operation);
    const texts = operation === "create" || operation === "delete" ? byType(some) : some.map(withPaths);
    return texts.map((text) => `  ${paint(COLOURS[operation], `${MARKS[operation]} ${text}`)}`);
  });
  return [`Resources: ${counts.join(", ")}, ${unchanged} unchanged`, ...lines].join("\n");
}

function byType(steps: readonly Step[]): string[] {
  const types = Map.groupBy(steps, ({ type }) => type);
  return [...types].map(([type, some]) => `${type} ${first(some.map(({ name }) => name))}`);
}

function withPaths(step: Step): string {
  return step.paths.length === 0 ? nameOf(step) : `${nameOf(step)}: ${first(step.paths, MAX_PATHS)}`;
}

/**
 * Returns what a recovery did; nothing if no deployment was interrupted.
 * @param steps URNs of the steps of the interrupted deployment
 * @param unread URNs of the objects that could not be read, or whose deletion has not ended
 */
export function recoveryLines(steps: readonly string[], unread: readonly string[]): string[] {
  const names = unread.map((urn) => lastOf(urn, "::")).slice(0, MAX_LINES);
  const are = unread.length === 1 ? "is" : "are";
  const text = `could not be read or ${are} still being deleted: ${names.join(", ")}. Deploy again after this deployment.`;
  return [
    ...when(steps.length > 0, `Recovered ${counted(steps.length, "resource")} of an interrupted deployment.`),
    ...when(unread.length > 0, `${counted(unread.length, "object")} ${text}`),
  ];
}

/**
 * Returns the drift that the deployment changes back. Others are not the program's: the members of an identity provider's group, a new field of
 * the API server.
 * @param refreshed steps of a refresh @param planned steps of the preview after it
 */
export function changedBack(refreshed: readonly Step[], planned: readonly Step[]): Step[] {
  const urns = new Set(planned.map(({ urn }) => urn));
  return refreshed.filter(({ urn }) => urns.has(urn));
}

/** Returns one line for each resource that differs from its state, with the paths, and without values. */
export function driftReport(steps: readonly Step[], paint: Paint): string {
  if (steps.length === 0) return "Drift: none";
  const lines = steps.map((step) => {
    const what = step.operation === "delete" ? `${nameOf(step)} is missing` : withPaths(step);
    return `  ${paint("yellow", `! ${what}`)}`;
  });
  return [`Drift: ${counted(steps.length, "resource differs", "resources differ")}`, ...lines].join("\n");
}

/** In the question and the last line of a deployment with `--skip-policy`. */
export const SKIPPED_POLICY = "without the policy pack";

/** Returns the warning of a deployment with `--skip-policy`. */
export function skippedPolicyReport(paint: Paint): string {
  return paint("red", "Policy pack: skipped (--skip-policy). No rule of docs/policy.md is checked in this deployment.");
}

interface Failure {
  readonly errors: readonly string[];
  /** Planned steps; empty if the deployment failed before the preview. */
  readonly planned: readonly Step[];
  readonly done: readonly Step[];
  readonly failed: readonly Step[];
  readonly hosts: readonly HostState[];
}

/** Returns the report of a failure: errors, steps that were and were not taken, and whether a protected host is open. */
export function failureReport({ errors, planned, done, failed, hosts }: Failure, paint: Paint): string {
  const completed = planned.filter(({ urn }) => done.some((step) => step.urn === urn));
  const rest = planned.filter((step) => !completed.includes(step) && !failed.some(({ urn }) => urn === step.urn));
  const state =
    planned.length === 0
      ? ["Nothing was deployed."]
      : [
          `${completed.length} of ${planned.length} changes were made.`,
          ...when(failed.length > 0, `Failed: ${first(failed.map(nameOf))}.`),
          ...when(rest.length > 0, `Not started: ${first(rest.map(nameOf))}.`),
        ];
  return [
    paint("red", "Errors"),
    ...errors.slice(0, MAX_LINES).map((error) => `  ${error.replaceAll("\n", "\n  ")}`),
    "",
    "Current state",
    ...[...state, ...hostLines(hosts, paint)].map((line) => `  ${line}`),
  ].join("\n");
}

/** Returns the number of closed URLs, `12 protected URLs refuse requests without a session.`, and each other one by name. */
export function hostLines(hosts: readonly HostState[], paint: Paint): string[] {
  const { closed = [], open = [], unreachable = [] } = Object.groupBy(hosts, ({ state }) => state);
  const silent = first(unreachable.map(({ url, answered }) => `${url} (${answered})`));
  return [
    ...when(
      closed.length > 0,
      `${counted(closed.length, "protected URL refuses", "protected URLs refuse")} requests without a session.`,
    ),
    ...open.map(({ url, answered }) =>
      paint("red", `OPEN: ${url} returns ${answered} for a request without a session.`),
    ),
    ...when(
      unreachable.length > 0,
      `${counted(unreachable.length, "protected URL", "protected URLs")} could not be checked: ${silent}.`,
    ),
  ];
}

/** Returns the number of checks in each state, and the first failed ones. */
export function verificationReport(checks: readonly Check[], paint: Paint): string {
  const broken = checks.filter(({ ok }) => !ok);
  const lines = broken
    .slice(0, MAX_LINES)
    .flatMap(({ name, detail, response }) => [
      `  ${paint("red", `${SIGNS.failed} ${name}: ${detail}`)}`,
      ...(response === undefined ? [] : [`    ${response}`]),
    ]);
  const more = when(broken.length > MAX_LINES, `  and ${broken.length - MAX_LINES} more`);
  return [sentence(checks), ...lines, ...more].join("\n");
}

/** Returns the commands that follow a deployment, one on each line. */
export function nextReport(commands: readonly string[]): string {
  return ["Next commands", ...commands.map((command) => `  ${command}`)].join("\n");
}

/** Joins the first texts and the number of the others. */
function first(texts: readonly string[], max = MAX_NAMES): string {
  return firstOf(texts, max).join(", ");
}

function when(applies: boolean, line: string): string[] {
  return applies ? [line] : [];
}
