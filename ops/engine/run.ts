import { stripVTControlCharacters } from "node:util";
import type { EngineEvent, StepEventMetadata } from "@pulumi/pulumi/automation/index.js";
import { errorText } from "../../config/errors/errorText.ts";
import { hasTerminal } from "../launcher/terminal.js";
import type { Report } from "../terminal/progress.ts";
import type { Resource } from "./state/state.ts";
import { creationOf, isUnconfirmed, type Recorded, recordedOf } from "./recovery/stepRecord.ts";
import { reasonOf, withoutConsequences } from "./reason.ts";
import { lastOf, merged, type Step, stepOf } from "./step.ts";

/** Number of resources by operation (`create`, `update`, `same`), including components. */
export type Changes = Readonly<Record<string, number>>;

export interface Watch {
  readonly onEvent: (event: EngineEvent) => void;
  readonly signal: AbortSignal;
}

export interface Ran {
  readonly changes: Changes;
  /** Planned steps; of a preview those that an update would take. */
  readonly steps: readonly Step[];
  readonly done: readonly Step[];
  /** Planned creations, replacements excluded. Secrets are masked. */
  readonly creations: readonly Resource[];
}

/** A failed run, with its errors instead of its complete output. */
export class EngineError extends Error {
  override readonly name = "EngineError";
  readonly done: readonly Step[];
  readonly failed: readonly Step[];
  /** Resources that may have been created, updated or deleted, because the response was lost. Secrets are masked. */
  readonly unconfirmed: readonly Recorded[];
  /** One error for each resource, with its name. */
  readonly errors: readonly string[];

  constructor(errors: readonly string[], result: Pick<EngineError, "done" | "failed" | "unconfirmed">, cause: unknown) {
    super(`the engine stopped:\n${errors.join("\n")}`, { cause });
    this.errors = errors;
    this.done = result.done;
    this.failed = result.failed;
    this.unconfirmed = result.unconfirmed;
  }
}

/**
 * Runs the engine, reports each step, and throws the errors of the run instead of its complete output. An inline program that
 * throws after its first resource would leave the engine waiting forever, so such a run is stopped.
 * @param interrupted stops the run like Ctrl-C: running steps complete, and no further step starts; after it, no run starts
 * @throws EngineError with the errors, each with its resource
 */
export async function runEngine(
  report: Report,
  run: (watch: Watch) => Promise<unknown>,
  interrupted?: AbortSignal,
): Promise<Ran> {
  if (interrupted?.aborted === true)
    throw new EngineError(["interrupted"], { done: [], failed: [], unconfirmed: [] }, interrupted.reason);
  const events = new RunEvents(report);
  const abort = new AbortController();
  const stop = (reason: unknown): void => {
    events.addError(errorText(reason));
    abort.abort();
  };
  process.on("unhandledRejection", stop);
  interrupted?.addEventListener("abort", () => {
    // The terminal sends Ctrl-C to the engine as well, which a second one would stop without finishing its operations.
    if (interrupted.reason !== "SIGINT" || !hasTerminal()) stop("interrupted");
  });
  try {
    await run({ onEvent: (event) => events.receive(event), signal: abort.signal });
    return events.ran();
  } catch (error) {
    throw events.failure(error);
  } finally {
    process.off("unhandledRejection", stop);
  }
}

/** What the events of one run report: its steps, and its errors. */
class RunEvents {
  readonly #report: Report;
  readonly #running: Running;
  readonly #planned: Step[] = [];
  readonly #done: Step[] = [];
  readonly #failed: Step[] = [];
  readonly #creations: Resource[] = [];
  /** Resources of failed steps, which may have been changed all the same. */
  readonly #unknown: Recorded[] = [];
  readonly #errors = new Set<string>();
  #changes: Changes = {};

  constructor(report: Report) {
    this.#report = report;
    this.#running = new Running(report);
  }

  addError(message: string): void {
    this.#errors.add(message);
  }

  receive(event: EngineEvent): void {
    const { resourcePreEvent, resOutputsEvent, resOpFailedEvent, diagnosticEvent, policyEvent, summaryEvent } = event;
    if (summaryEvent) this.#changes = summaryEvent.resourceChanges ?? {};
    if (resourcePreEvent) this.#started(resourcePreEvent.metadata);
    if (resOutputsEvent) this.#ended(resOutputsEvent.metadata, this.#done);
    if (resOpFailedEvent) this.#stepFailed(resOpFailedEvent.metadata);
    if (diagnosticEvent?.severity === "error") this.addError(describe(diagnosticEvent));
    if (diagnosticEvent?.ephemeral) this.#report(stripVTControlCharacters(diagnosticEvent.message).trim());
    if (policyEvent?.enforcementLevel === "mandatory") this.addError(violated(policyEvent));
  }

  ran(): Ran {
    const [steps, done] = [merged(this.#planned), merged(this.#done)];
    return { changes: this.#changes, steps, done, creations: this.#creations };
  }

  /** Returns the error of a run. @param error what it threw, which is reported if no event has an error */
  failure(error: unknown): EngineError {
    const messages = this.#errors.size === 0 ? [reasonOf(error)] : [...this.#errors];
    const unconfirmed = this.#unknown.filter((entry) =>
      messages.some((text) => text.startsWith(`${lastOf(entry.urn, "::")}: `) && isUnconfirmed(entry, text)),
    );
    const result = { done: merged(this.#done), failed: merged(this.#failed), unconfirmed };
    return new EngineError(withoutConsequences(messages), result, error);
  }

  #started(metadata: StepEventMetadata): void {
    const { op, urn, ...states } = metadata;
    // A component has no event at its end.
    if (op !== "same" && (states.new ?? states.old)?.custom) this.#running.add(urn, `${op} ${lastOf(urn, "::")}`);
    note(this.#planned, metadata);
    const creation = op === "create" ? creationOf(metadata) : undefined;
    if (creation?.custom) this.#creations.push(creation);
  }

  #ended(metadata: StepEventMetadata, steps: Step[]): void {
    this.#running.remove(metadata.urn);
    note(steps, metadata);
  }

  #stepFailed(metadata: StepEventMetadata): void {
    this.#ended(metadata, this.#failed);
    const entry = recordedOf(metadata);
    if (entry && (entry.custom || entry.changed)) this.#unknown.push(entry);
  }
}

/** Reports the steps that the engine waits for: the longest running one, and how many others there are. */
class Running {
  readonly #report: Report;
  readonly #steps = new Map<string, string>();

  constructor(report: Report) {
    this.#report = report;
  }

  add(urn: string, step: string): void {
    this.#steps.set(urn, step);
    this.#show();
  }

  remove(urn: string): void {
    if (this.#steps.delete(urn)) this.#show();
  }

  #show(): void {
    const [longest, ...others] = this.#steps.values();
    if (longest !== undefined) this.#report(others.length === 0 ? longest : `${longest} and ${others.length} more`);
  }
}

function note(steps: Step[], metadata: StepEventMetadata): void {
  const step = stepOf(metadata);
  if (step) steps.push(step);
}

function describe({ urn, message }: NonNullable<EngineEvent["diagnosticEvent"]>): string {
  const text = stripVTControlCharacters(message).trim();
  return urn === undefined || urn === "" ? text : `${lastOf(urn, "::")}: ${text}`;
}

function violated({ resourceUrn, policyName, message }: NonNullable<EngineEvent["policyEvent"]>): string {
  return `${lastOf(resourceUrn ?? "", "::")}: ${stripVTControlCharacters(message).trim()} (policy ${policyName})`;
}
