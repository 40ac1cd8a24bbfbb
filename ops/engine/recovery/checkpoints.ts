/**
 * Deployments without checkpoints.
 *
 * A file or object storage backend receives the whole state after each step, so the time of a deployment grows with the square of its size:
 * 88 s of CPU time for 30 services, 11 s without (measured). `PULUMI_SKIP_CHECKPOINTS` makes the engine write the state once, at the end,
 * also after an error or Ctrl-C. When the engine is killed, the state misses what it did; ops/engine/recovery/stepRecord.ts records that.
 */
import { ResourceHook, runtime } from "@pulumi/pulumi";
import type { EngineEvent, PulumiFn, Stack, UpOptions } from "@pulumi/pulumi/automation/index.js";
import type { Environment } from "../../../config/variables/variables.ts";
import { ciVariable } from "../../context/ci.ts";
import { exportState } from "../state/state.ts";
import { createRecord, readRecord, recordSteps, recordedOf, writeRecord } from "./stepRecord.ts";

/** Up to this number of exposures, checkpoints cost seconds. */
const CHECKPOINTS_UP_TO = 100;

/**
 * Returns whether the engine writes the state after each step. In a job of a CI system and in a container it does so for any number of exposures: the
 * record of steps is in the project, which ends with the job or the container. `GATEHOUSE_CHECKPOINTS` decides otherwise: `false` where the
 * project remains, `true` where it does not (docs/container.md).
 */
export function hasCheckpoints(exposures: number, environment: Environment): boolean {
  const asked = environment["GATEHOUSE_CHECKPOINTS"] || undefined;
  const isEphemeral = asked === undefined ? ciVariable(environment) !== undefined : asked !== "false";
  return isEphemeral || exposures <= CHECKPOINTS_UP_TO;
}

/** Options of a run without checkpoints that record its creations. */
export type Recorder = Pick<UpOptions, "program"> & { readonly onEvent: (event: EngineEvent) => void };

/**
 * Runs the engine once, without checkpoints.
 * @param run passes the recorder's `onEvent` each event, and the program to `stack.up`
 * @throws UserError when the record cannot be written; what `run` throws
 */
export async function withoutCheckpoints<T>(stack: Stack, run: (recorder: Recorder) => Promise<T>): Promise<T> {
  const { workspace } = stack;
  const environment = workspace.envVars;
  const started = Date.now();
  // What could not be read before remains.
  const before = await readRecord(stack);
  createRecord(stack);
  workspace.envVars = { ...environment, PULUMI_SKIP_CHECKPOINTS: "true" };
  try {
    const result = await run(recorderOf(stack));
    writeRecord(stack, before);
    return result;
  } catch (error) {
    // A killed engine has not saved the state, so the record remains for the next run, also if the state cannot be read now.
    const restore = async (): Promise<void> =>
      void ((await isSavedSince(stack, started)) && writeRecord(stack, before));
    await restore().catch(() => undefined);
    throw error;
  } finally {
    workspace.envVars = environment;
  }
}

async function isSavedSince(stack: Stack, time: number): Promise<boolean> {
  const { manifest } = (await exportState(stack)).deployment;
  return manifest !== undefined && Date.parse(manifest.time) >= time;
}

function recorderOf(stack: Stack): Recorder {
  const recorded = new Map<string, PromiseWithResolvers<void>>();
  const recordOf = (urn: string): PromiseWithResolvers<void> => {
    const known = recorded.get(urn);
    if (known) return known;
    const entry = Promise.withResolvers<void>();
    // The step that waits for it fails; until one waits, a rejection is not an error of the process.
    entry.promise.catch(() => undefined);
    recorded.set(urn, entry);
    return entry;
  };
  const onEvent = ({ resourcePreEvent }: EngineEvent): void => {
    const entry = resourcePreEvent && recordedOf(resourcePreEvent.metadata);
    if (!entry) return;
    try {
      recordSteps(stack, [entry]);
    } catch (error) {
      // Thrown here, it would only be a warning of the SDK, and the step would wait forever.
      recordOf(entry.urn).reject(error);
      return;
    }
    // Nothing waits for a deletion, and a creation with the same URN can follow.
    if (entry.changed !== "delete") recordOf(entry.urn).resolve();
  };
  const { program } = stack.workspace;
  return { onEvent, ...(program && { program: afterRecord(program, (urn) => recordOf(urn).promise) }) };
}

/** Returns the program with each creation and update delayed until it is recorded: the engine does not wait until its events have arrived. */
function afterRecord(program: PulumiFn, recorded: (urn: string) => Promise<void>): PulumiFn {
  return async () => {
    const hook = new ResourceHook("step-recorded", ({ urn }) => recorded(urn));
    runtime.registerStackTransformation(({ props, opts }) => {
      const beforeCreate = [...(opts.hooks?.beforeCreate ?? []), hook];
      const beforeUpdate = [...(opts.hooks?.beforeUpdate ?? []), hook];
      return { props, opts: { ...opts, hooks: { ...opts.hooks, beforeCreate, beforeUpdate } } };
    });
    return program();
  };
}
