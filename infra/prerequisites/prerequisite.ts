import { withHint } from "../../config/errors/userError.ts";

export interface Named {
  /** E.g. `version of Traefik`. */
  readonly name: string;
  readonly result: PrerequisiteResult;
}

/** Something that the cluster must have before a deployment, and whether it has it. */
export interface Prerequisite extends Named {
  readonly subject: "Cluster" | "Traefik" | "DNS" | "Operators" | "Identity provider";
}

export type PrerequisiteResult = Passed | Missing | NotChecked;

interface Passed {
  /** What was observed. */
  readonly observed: string;
}

export interface Missing {
  /** Configuration that needs it, in the user's spelling, e.g. `gateway.version`. */
  readonly entry: string;
  readonly problem: string;
  readonly hint: string;
}

export interface NotChecked {
  /** Why it could not be compared. */
  readonly reason: string;
  readonly hint: string;
}

/** Returns the problem of each missing prerequisite, with its entry and its hint. */
export function problemsOf(prerequisites: readonly Prerequisite[]): string[] {
  return prerequisites.flatMap(({ result }) =>
    "problem" in result ? `${result.entry}: ${withHint(result.problem, result.hint)}` : [],
  );
}
