import { stripVTControlCharacters } from "node:util";
import type { EngineEvent, StepEventMetadata } from "@pulumi/pulumi/automation/index.js";
import { errorText } from "../../config/errorText.ts";
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
  let changes: Changes = {};
  const planned: Step[] = [];
  const done: Step[] = [];
  const failed: Step[] = [];
  const creations: Resource[] = [];
  const unknown: Recorded[] = [];
  const errors = new Set<string>();
  const running = new Running(report);
  const abort = new AbortController();
  const stop = (reason: unknown): void => {
    errors.add(errorText(reason));
    abort.abort();
  };
  const onEvent = (event: EngineEvent): void => {
    const { resourcePreEvent, resOutputsEvent, resOpFailedEvent, diagnosticEvent, summaryEvent } = event;
    if (summaryEvent) changes = summaryEvent.resourceChanges ?? {};
    if (resourcePreEvent) {
      const { op, urn, ...states } = resourcePreEvent.metadata;
      // A component has no event at its end.
      if (op !== "same" && (states.new ?? states.old)?.custom) running.add(urn, `${op} ${lastOf(urn, "::")}`);
      note(planned, resourcePreEvent.metadata);
      const creation = op === "create" ? creationOf(resourcePreEvent.metadata) : undefined;
      if (creation?.custom) creations.push(creation);
    }
    if (resOutputsEvent) {
      running.remove(resOutputsEvent.metadata.urn);
      note(done, resOutputsEvent.metadata);
    }
    if (resOpFailedEvent) {
      running.remove(resOpFailedEvent.metadata.urn);
      note(failed, resOpFailedEvent.metadata);
      const entry = recordedOf(resOpFailedEvent.metadata);
      if (entry && (entry.custom || entry.changed)) unknown.push(entry);
    }
    if (diagnosticEvent?.severity === "error") errors.add(describe(diagnosticEvent));
    if (diagnosticEvent?.ephemeral) report(stripVTControlCharacters(diagnosticEvent.message).trim());
    if (event.policyEvent?.enforcementLevel === "mandatory") errors.add(violated(event.policyEvent));
  };
  process.on("unhandledRejection", stop);
  interrupted?.addEventListener("abort", () => {
    // The terminal sends Ctrl-C to the engine as well, which a second one would stop without finishing its operations.
    if (interrupted.reason !== "SIGINT" || !process.stdin.isTTY) stop("interrupted");
  });
  try {
    await run({ onEvent, signal: abort.signal });
    return { changes, steps: merged(planned), done: merged(done), creations };
  } catch (error) {
    const messages = errors.size === 0 ? [reasonOf(error)] : [...errors];
    const unconfirmed = unknown.filter((entry) =>
      messages.some((text) => text.startsWith(`${lastOf(entry.urn, "::")}: `) && isUnconfirmed(entry, text)),
    );
    const result = { done: merged(done), failed: merged(failed), unconfirmed };
    throw new EngineError(withoutConsequences(messages), result, error);
  } finally {
    process.off("unhandledRejection", stop);
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
  return `${lastOf(urn ?? "", "::")}: ${stripVTControlCharacters(message).trim()}`;
}

function violated({ resourceUrn, policyName, message }: NonNullable<EngineEvent["policyEvent"]>): string {
  return `${lastOf(resourceUrn ?? "", "::")}: ${stripVTControlCharacters(message).trim()} (policy ${policyName})`;
}
