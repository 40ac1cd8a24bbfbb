import { UserError, withHint } from "./userError.ts";
import { distance } from "fastest-levenshtein";
import { formatLocation, type Location } from "./location.ts";

/** A problem of a stack's configuration, in the spelling of the stack file. It never contains the value of a secret field. */
export interface Problem extends Location {
  /** What is wrong: what was found, and what was expected. */
  readonly message: string;
  /** What to do about it. */
  readonly hint: string;
}

/** Returns the problem at a location. */
export function problem(location: Location, message: string, hint: string): Problem {
  return { ...location, message, hint };
}

/** Returns the names that are used more than once. */
export function repeated(names: readonly string[]): Set<string> {
  return new Set(names.filter((name, index) => names.indexOf(name) !== index));
}

/**
 * Every problem of one configuration. Pulumi's runner prints only the message of it: the mark below is how `pulumi.RunError.isInstance`
 * recognises its own, also across copies of the SDK, so that this folder needs no import of it.
 */
export class ConfigError extends UserError {
  readonly problems: readonly Problem[];
  /** Mark of `pulumi.RunError`. */
  readonly __pulumiRunError = true;

  /**
   * @param file name of the stack file, for the header
   * @param problems at least one
   */
  constructor(file: string, problems: readonly Problem[]) {
    super(formatProblems(file, problems));
    this.name = "ConfigError";
    this.problems = problems;
    // No frames: some Node releases need half a minute to colour a stack with Pulumi's paths in it (nodejs/node#64011).
    this.stack = `${this.name}: ${this.message}`;
  }
}

/** Returns all problems under one header with their number, one line each: `<path> "<entry>": <message>. <Hint>.`. */
function formatProblems(file: string, problems: readonly Problem[]): string {
  const header = `${file}: ${problems.length} ${problems.length === 1 ? "problem" : "problems"}`;
  return [header, ...problems.map((problem) => `  ${formatProblem(problem)}`)].join("\n");
}

function formatProblem({ message, hint, ...location }: Problem): string {
  return `${formatLocation(location)}: ${withHint(message, hint)}`;
}

/** Returns the one of `known` that `found` is probably a misspelling of: at most three edits away, and closer than being another word. */
export function suggestion(found: string, known: readonly string[]): string | undefined {
  const near = known
    .map((name) => ({ name, distance: distance(found, name) }))
    .filter(({ name, distance }) => distance <= Math.min(3, Math.floor(name.length / 2)));
  return near.sort((a, b) => a.distance - b.distance)[0]?.name;
}
