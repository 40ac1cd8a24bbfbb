import { type HttpClient, withClient } from "../clients/http.ts";
import { errorText } from "../../config/errors/errorText.ts";
import type { PrerequisiteResult } from "../../infra/prerequisites/prerequisite.ts";
import { describeResponse } from "./describeResponse.ts";

/** One expectation of a deployment, and whether it passed. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** The observed value; for a failed check also the expected one, for a skipped one the reason. Never a secret. */
  readonly detail: string;
  /** Of a failed check, the last response that it got (describeResponse.ts). */
  readonly response?: string;
  /** Not checked: neither passed nor failed. */
  readonly skipped?: true;
  /** What to do about it, where that is known better than from its kind. */
  readonly hint?: string;
}

/** A check in a report. */
export interface ReportedCheck extends Check {
  /** What it is about: an origin, a domain, the database, the cluster. Reports are grouped by it. */
  readonly subject: string;
}

export type State = "passed" | "failed" | "skipped";

/** Returns the state of a check. A skipped one is neither passed nor failed, whatever its `ok`. */
export function stateOf({ ok, skipped }: Pick<Check, "ok" | "skipped">): State {
  if (skipped) return "skipped";
  return ok ? "passed" : "failed";
}

/** Returns the number of checks in each state. */
export function summary(checks: readonly Pick<Check, "ok" | "skipped">[]): Record<State, number> {
  const count = (state: State): number => checks.filter((check) => stateOf(check) === state).length;
  return { passed: count("passed"), failed: count("failed"), skipped: count("skipped") };
}

/** Returns a report as `--json` prints it: the number of checks in each state, and the state of each in one word. */
export function toJson({ checks, ...report }: { readonly checks: readonly Check[] }): object {
  const states = checks.map(({ ok, skipped, ...fields }) => ({ ...fields, state: stateOf({ ok, skipped }) }));
  return { ...report, summary: summary(checks), checks: states };
}

/** Returns `54 passed, 1 failed, 2 skipped`. @param reason of the skipped ones, behind their number */
export function counts(checks: readonly Pick<Check, "ok" | "skipped">[], reason = ""): string {
  const { passed, failed, skipped } = summary(checks);
  return [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped${reason}`] : []),
  ].join(", ");
}

/** Returns a skipped check. @param reason why it was skipped @param hint what lets it run; empty if nothing does */
export function skip(name: string, reason: string, hint: string): Check {
  return { name, ok: true, skipped: true, detail: reason, hint };
}

/** Returns the check of a prerequisite of a deployment. */
export function checkOf(name: string, result: PrerequisiteResult): Check {
  if ("observed" in result) return passed(name, result.observed);
  if ("reason" in result) return skip(name, result.reason, result.hint);
  return failed(name, `${result.entry}: ${result.problem}`, result.hint);
}

/** Returns a passed check. @param detail what was observed */
export function passed(name: string, detail: string): Check {
  return { name, ok: true, detail };
}

/** Returns a failed check. @param detail what is wrong, with the observation that shows it */
export function failed(name: string, detail: string, hint: string): Check {
  return { name, ok: false, detail, hint };
}

/**
 * Runs one probe. A probe that throws is a failed check, not the end of the others.
 * @param probe returns what it observed. @throws Unexpected for anything but the expected value
 */
export async function check(name: string, probe: () => Promise<string>): Promise<Check> {
  try {
    return { name, ok: true, detail: await probe() };
  } catch (error) {
    return { name, ok: false, detail: errorText(error) };
  }
}

/** Runs one probe as {@link check} does; a failed check shows the client's last response. */
export async function checkResponses(
  client: Pick<HttpClient, "last">,
  name: string,
  probe: () => Promise<string>,
): Promise<Check> {
  const result = await check(name, probe);
  const last = result.ok ? undefined : client.last();
  return last === undefined ? result : { ...result, response: describeResponse(last) };
}

/** Runs one probe as {@link checkResponses} does, with a new client. @param connect as for {@link withClient} */
export function checkWithClient(
  name: string,
  probe: (client: HttpClient) => Promise<string>,
  connect?: Parameters<typeof withClient>[1],
): Promise<Check> {
  return withClient((client) => checkResponses(client, name, () => probe(client)), connect);
}

export class Unexpected extends Error {
  constructor(expected: string, observed: string) {
    super(`expected ${expected}, got ${observed}`);
    this.name = "Unexpected";
  }
}

/** Compares two values as JSON. @throws Unexpected when the two differ */
export function expectEqual(what: string, observed: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(observed), JSON.stringify(expected)];
  if (left !== right) {
    throw new Unexpected(`${what} ${right}`, left);
  }
}
