/** One deployment of the stack of a context, from the checks to the verification. */
import type { PulumiFn, Stack } from "@pulumi/pulumi/automation/index.js";
import pTimeout from "p-timeout";
import { buildFor } from "../engine/artifacts.ts";
import type { ShellEnvironment, StackContext } from "../context/context.ts";
import { type Paint, signOf } from "../terminal/paint.ts";
import { NO_POLICY, type PolicyOptions, runPolicy } from "../engine/policyPack.ts";
import type { Progress } from "../terminal/progress.ts";
import type { Check } from "../checks/check.ts";
import { type AccessChanges, accessChanges } from "./access.ts";
import { apply, recover } from "../engine/apply.ts";
import { refuseUnsafeRefresh } from "../engine/refreshGuard.ts";
import { checkAll, checkRecovered, messagesOf, type Ready, Refusal } from "./checks.ts";
import { type HostState, protectedUrls, requestHosts } from "./protectedHosts.ts";
import { droppedDatabases } from "../engine/databaseNames.ts";
import { deleteLockOwner, LockedError } from "../engine/state/lock.ts";
import { type Ending, nextCommands, type Outcome } from "./outcome.ts";
import {
  changedBack,
  driftReport,
  recoveryLines,
  nextReport,
  previewReport,
  verificationReport,
  SKIPPED_POLICY,
  skippedPolicyReport,
  failureReport,
} from "./report.ts";
import { refuseTakenNames } from "./takenNames.ts";
import { Recording } from "./recording.ts";
import { runRepeatable } from "../engine/repeat.ts";
import { EngineError, type Ran } from "../engine/run.ts";
import { accessInEffect } from "../engine/recovery/accessRecords.ts";
import { keepingUpdates } from "../engine/recovery/interruptedChanges.ts";
import { exportState } from "../engine/state/state.ts";
import { readState, type StackState } from "../engine/state/stackState.ts";
import type { Step } from "../engine/step.ts";
import { recordOf } from "../../infra/access/record.ts";
import { accessOf } from "../../infra/access/access.ts";
import { errorText } from "../../config/errors/errorText.ts";

export interface Options {
  readonly refresh: boolean;
  /** Neither the preview nor the up runs the policy pack. */
  readonly skipPolicy: boolean;
  /** Asks the user to continue. @param question without the possible answers @returns whether the answer is `yes` */
  readonly confirm: (question: string) => Promise<boolean>;
  readonly print: (text: string) => void;
  readonly paint: Paint;
  readonly progress: Progress;
  /** Stops the deployment like Ctrl-C. */
  readonly interrupted: AbortSignal;
  /** Loads the program. */
  readonly program: () => Promise<PulumiFn>;
  readonly verify: (target: StackContext) => Promise<readonly Check[]>;
}

interface Preview {
  readonly ran: Ran;
  readonly access: AccessChanges;
  /** State before the preview. */
  readonly from: StackState;
  readonly empty: boolean;
}

/** Deploys the stack of a context. Does not throw if the deployment fails: the outcome contains the problems. */
export async function deployContext(target: StackContext, shell: ShellEnvironment, options: Options): Promise<Outcome> {
  return new Deployment(target, shell, options).run();
}

class Deployment {
  readonly #target: StackContext;
  readonly #shell: ShellEnvironment;
  readonly #options: Options;
  readonly #policy: PolicyOptions;
  readonly #recording: Recording;
  #before: StackState | undefined;
  #preview: Preview | undefined;
  #drift: readonly Step[] = [];
  #done: readonly Step[] = [];

  constructor(target: StackContext, shell: ShellEnvironment, options: Options) {
    this.#target = target;
    this.#shell = shell;
    this.#options = options;
    this.#policy = options.skipPolicy ? NO_POLICY : runPolicy();
    this.#recording = new Recording(options.progress);
  }

  async run(): Promise<Outcome> {
    let ready: Ready;
    try {
      ready = await this.#check();
    } catch (error) {
      return this.#refused(error);
    }
    try {
      return await this.#runChecked(ready);
    } finally {
      deleteLockOwner(ready.stack);
    }
  }

  async #runChecked(ready: Ready): Promise<Outcome> {
    try {
      await this.#recover(ready);
    } catch (error) {
      return this.#refused(error);
    }
    try {
      const empty = await this.#previewAndAsk(ready);
      if (empty === undefined) return this.#end("declined", {});
      if (!empty) await this.#apply(ready.stack);
      return await this.#verify(empty);
    } catch (error) {
      return error instanceof Refusal ? this.#refused(error) : this.#failed(error);
    }
  }

  async #check(): Promise<Ready> {
    const { progress, skipPolicy, print, paint } = this.#options;
    if (skipPolicy) print(skippedPolicyReport(paint));
    const check = () => this.#untilInterrupted(checkAll(this.#target, this.#shell, this.#options));
    const ready = await this.#recording.part("Checking configuration, tools and access", check, "5 s");
    this.#before = ready.state;
    await this.#untilInterrupted(buildFor(this.#target.settings, progress));
    return ready;
  }

  /** Recovers an interrupted deployment, which can require the identity provider, and detects drift with `--refresh`. */
  async #recover(ready: Ready): Promise<void> {
    const { stack } = ready;
    const { steps, unread } = await this.#recording.part(
      "Recovering an interrupted deployment",
      (report) => recover(stack, report, this.#options.interrupted, this.#target.local),
      "1 s",
    );
    for (const text of recoveryLines(steps, unread)) this.#options.print(text);
    if (steps.length > 0) {
      this.#before = await readState(stack);
      await this.#untilInterrupted(checkRecovered(this.#target, { ...ready, state: this.#before }));
    }
    if (!this.#options.refresh) return;
    const { resources = [] } = (await exportState(stack)).deployment;
    await refuseUnsafeRefresh(this.#target, resources, this.#options.interrupted);
    const refresh = (report: (detail: string) => void) =>
      keepingUpdates(stack, () => runRepeatable(report, (watch) => stack.refresh(watch), this.#options.interrupted));
    this.#drift = (await this.#recording.part("Detecting drift", refresh, "15 s")).done;
  }

  /** @returns whether there is nothing to change; undefined if the user did not confirm */
  async #previewAndAsk({ stack, secrets }: Ready): Promise<boolean | undefined> {
    const { confirm, print } = this.#options;
    for (;;) {
      const preview = await this.#previewOnce(stack);
      this.#preview = preview;
      if (preview.empty) return true;
      const { creations, steps } = preview.ran;
      const complete = this.#before?.access !== undefined;
      await this.#untilInterrupted(refuseTakenNames(this.#target, complete, secrets, creations, print));
      const { context } = this.#target;
      const opens = preview.access.opening;
      const opening = opens === 1 ? "One of these opens" : `${opens} of these open`;
      if (opens > 0 && !(await confirm(`${opening} something to the public. Allow it?`))) return undefined;
      for (const database of droppedDatabases(steps, this.#before))
        if (!(await confirm(`This drops ${database} with its data. Drop it?`))) return undefined;
      if (!(await confirm(`Apply these changes to ${context}${this.#skipped()}?`))) return undefined;
      if ((await readState(stack)).digest === preview.from.digest) return false;
      print("The state of the stack changed during the preview. New preview:");
    }
  }

  async #previewOnce(stack: Stack): Promise<Preview> {
    const { interrupted, paint, print } = this.#options;
    const { plan } = this.#target;
    const state = await readState(stack);
    const run = (report: (detail: string) => void): Promise<Ran> =>
      runRepeatable(report, (watch) => stack.preview({ ...watch, ...this.#policy }), interrupted);
    const ran = await this.#recording.part("Preview", run, "10 s");
    this.#drift = changedBack(this.#drift, ran.steps);
    if (this.#options.refresh) print(driftReport(this.#drift, paint));
    const access = accessChanges(state, plan);
    const empty = ran.steps.length === 0 && access.changes.length === 0;
    if (!empty)
      print([access.report(paint), "", previewReport(ran.steps, ran.changes["same"] ?? 0, paint), ""].join("\n"));
    return { ran, access, from: state, empty };
  }

  async #apply(stack: Stack): Promise<void> {
    const { plan } = this.#target;
    const access = accessInEffect(this.#preview?.from.resources ?? [], recordOf(accessOf(plan)));
    const work = (report: (detail: string) => void): Promise<Ran> =>
      apply({ stack, plan, access, policy: this.#policy, recovered: true }, "up", report, this.#options.interrupted);
    this.#done = (await this.#recording.part("Deploying", work, "15 s")).done;
  }

  async #verify(empty: boolean): Promise<Outcome> {
    const { interrupted, paint, print, verify } = this.#options;
    const result = `${empty ? "No changes" : "Deployed"}${this.#skipped()}: stack ${this.#target.stack} on ${this.#target.context}`;
    const work = () => this.#untilInterrupted(verify(this.#target));
    const checks = await this.#recording.timed("Verifying", work).catch((error: unknown) => {
      if (interrupted.aborted) return undefined;
      throw error;
    });
    print(`${result}, ${checks ? verificationReport(checks, paint) : "not verified: interrupted"}`);
    if (!checks) return this.#end("unverified", { problems: ["interrupted"] });
    const ending = checks.some(({ ok }) => !ok) ? "unverified" : empty ? "unchanged" : "deployed";
    return this.#end(ending, { checks });
  }

  #refused(error: unknown): Outcome {
    const { print, paint, interrupted } = this.#options;
    // Ctrl-C ends the commands of the checks as well, whose errors are its consequences.
    const refuses = !interrupted.aborted && (error instanceof Refusal || error instanceof LockedError);
    const problems = interrupted.aborted ? ["interrupted"] : messagesOf(error);
    const lines = problems.map((problem) => `  ${signOf("failed", paint)} ${problem.replaceAll("\n", "\n    ")}`);
    print(["Nothing was deployed:", ...lines].join("\n"));
    return this.#end(refuses ? "refused" : "failed", { problems });
  }

  async #failed(error: unknown): Promise<Outcome> {
    const engine = error instanceof EngineError ? error : undefined;
    const errors = engine?.errors ?? [this.#options.interrupted.aborted ? "interrupted" : errorText(error)];
    const applied = this.#recording.parts.some(({ name }) => name === "Deploying");
    if (applied && engine) this.#done = engine.done;
    const planned = applied ? (this.#preview?.ran.steps ?? []) : [];
    const hosts = await this.#requestProtected(applied);
    const failed = engine?.failed ?? [];
    const failure = { errors, planned, done: this.#done, failed, hosts };
    this.#options.print(failureReport(failure, this.#options.paint));
    return this.#end("failed", { problems: errors, hosts });
  }

  /** Sends no request if Ctrl-C ended the deployment before the engine applied anything. */
  async #requestProtected(applied: boolean): Promise<HostState[]> {
    const { interrupted } = this.#options;
    if (interrupted.aborted && !applied) return [];
    const { access, incomplete = [] } = this.#before ?? {};
    const urls = protectedUrls([...(access ? [access] : []), ...incomplete], accessOf(this.#target.plan));
    return this.#recording.part("Checking protected hosts without a session", () => requestHosts(urls, interrupted));
  }

  /** Ends the wait for work that changes neither the cluster nor a server when the user interrupts the command: the process then exits. */
  #untilInterrupted<T>(work: Promise<T>): Promise<T> {
    return pTimeout(work, { milliseconds: Infinity, signal: this.#options.interrupted });
  }

  #skipped(): string {
    return this.#options.skipPolicy ? ` ${SKIPPED_POLICY}` : "";
  }

  #end(outcome: Ending, more: Partial<Pick<Outcome, "checks" | "problems" | "hosts">>): Outcome {
    const { context, given, stack } = this.#target;
    const next = nextCommands(outcome, given, this.#options.refresh);
    if (next.length > 0) this.#options.print(nextReport(next));
    const done = new Set(this.#done.map(({ urn }) => urn));
    const changes = (this.#preview?.ran.steps ?? []).map((step) => ({ ...step, done: done.has(step.urn) }));
    return {
      context,
      stack,
      outcome,
      policySkipped: this.#options.skipPolicy,
      steps: this.#recording.parts,
      changes,
      diff: this.#preview?.access.changes ?? [],
      drift: this.#drift,
      checks: [],
      problems: [],
      hosts: [],
      ...more,
      next,
    };
  }
}
