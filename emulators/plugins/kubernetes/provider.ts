import { randomBytes } from "node:crypto";

import { InitializationError } from "../protocol/plugin.ts";
import type { Change, CheckResult, Context, Plugin, Values } from "../protocol/plugin.ts";
import { hasUnknown, isValues, textOf, valueAt } from "../protocol/values.ts";
import { Cluster } from "./cluster.ts";
import { ApiError, Unreachable } from "./errors.ts";
import { accessOf } from "./kubeconfig.ts";
import { isFresh } from "./managers.ts";
import {
  annotation,
  markSecrets,
  idOf,
  importedInputs,
  isPatch,
  lookup,
  normalized,
  refreshedInputs,
  stateOf,
  withName,
} from "./objects.ts";
import { NotReady, unreadyReason, untilGone, untilReady } from "./readiness.ts";
import { compare } from "./replacement.ts";

const TIMEOUT_S = 600;
const FAILED = "failed to fully initialize or become live";

/** An object that is being created or changed. */
interface Work {
  readonly inputs: Values;
  readonly manager: string;
  readonly context: Context;
  /** Prefix of an error message. */
  readonly prefix: string;
}

/**
 * Emulates the `kubernetes` plugin 4.34.2: any kind, with its diffs, replacements, states and patches. It
 * has no Helm charts and no YAML files.
 */
export class Kubernetes implements Plugin {
  readonly name = "kubernetes";
  readonly version = "4.34.2";
  readonly identity = "clusterIdentifier";
  #config: Values = {};
  #connected: Cluster | undefined;

  /** An unreachable cluster fails the calls that need it, not a preview. */
  configure(config: Values): Promise<void> {
    this.#config = config;
    this.#connected = undefined;
    return Promise.resolve();
  }

  check(type: string, olds: Values | undefined, news: Values, urn: string): Promise<CheckResult> {
    const given = isValues(news.metadata) ? news.metadata : {};
    if (isPatch(type, news) && given.name === undefined) {
      throw new Error("patch resources require the `.metadata.name` field to be set");
    }
    const metadata = withName(given, olds?.metadata, urn);
    return Promise.resolve({ inputs: markSecrets({ ...normalized(news), metadata }), failures: [] });
  }

  async diff(type: string, _id: string, oldInputs: Values, oldState: Values, news: Values): Promise<Change> {
    const isWatched = news.kind === "Job" && annotation(news, "pulumi.com/replaceUnready") === "true";
    const live = isWatched ? await this.#read(oldState).catch(() => undefined) : undefined;
    const unready = live !== undefined && unreadyReason(live) !== undefined;
    return compare(recorded(oldInputs, oldState), news, { isPatch: isPatch(type, news), unready });
  }

  async create(type: string, inputs: Values, context: Context): Promise<{ id: string; state: Values }> {
    const manager = managerOf(inputs);
    const prefix = `resource "${context.urn}" was successfully created, but the Kubernetes API server reported that it`;
    const options = { force: isForced(inputs), dryRun: context.preview };
    const make = async (): Promise<Values> => {
      const cluster = this.#cluster();
      return isPatch(type, inputs) ? cluster.apply(inputs, manager, options) : cluster.create(inputs, options);
    };
    const explained = (error: unknown): never => {
      const failed = `resource "${context.urn}" was not successfully created by the Kubernetes API server`;
      throw error instanceof ApiError ? new Error(`${failed}: ${reasonOf(error, manager)}`) : error;
    };
    if (!context.preview) {
      const created = await make().catch(explained);
      return { id: idOf(created), state: await this.#settled(created, { inputs, manager, context, prefix }) };
    }
    const planned = isPatch(type, inputs) ? undefined : await dryRunOf(inputs, make).catch(explained);
    const state = planned ? { ...stateOf(planned, inputs, manager), status: undefined } : markSecrets(inputs);
    return { id: "", state };
  }

  async read(type: string, id: string, inputs: Values | undefined, state: Values | undefined) {
    const live = await this.#read(state ?? lookup(type, id));
    if (!live) return undefined;
    const known = inputs && state ? refreshedInputs(recorded(inputs, state), state, live) : importedInputs(live);
    const now = stateOf(live, known, managerOf(known, state));
    const unready = state && !skipsWaiting(known) ? unreadyReason(live) : undefined;
    if (!unready) return { id, inputs: markSecrets(known), state: now };
    const reasons = [`Resource '${textOf(live, "metadata", "name")}' was created but failed to initialize`];
    throw new InitializationError(id, now, [...reasons, unready.reason], markSecrets(known));
  }

  async update(type: string, id: string, oldState: Values, news: Values, context: Context): Promise<Values> {
    const manager = managerOf(news, oldState);
    const work = { inputs: news, manager, context, prefix: `the Kubernetes API server reported that "${id}"` };
    const make = async (): Promise<Values> => {
      const live = await this.#read(oldState);
      if (!live) throw new Error(`update of resource "${context.urn}" failed: ${id} not found`);
      return this.#change(oldState, live, isPatch(type, news), work);
    };
    if (!context.preview) return this.#settled(await make(), work);
    const planned = await dryRunOf(news, make);
    return planned ? stateOf(planned, news, manager) : markSecrets(news);
  }

  async delete(type: string, _id: string, state: Values, context: Context): Promise<void> {
    const cluster = this.#cluster();
    if (isPatch(type, state)) return this.#relinquish(state);
    await cluster.remove(state);
    if (!skipsWaiting(state)) await untilGone(cluster, state, deadline(state, context), context.signal);
  }

  async #read(object: Values): Promise<Values | undefined> {
    return this.#cluster().read(object);
  }

  /** Applies the inputs. A preview hands nothing over, so it overrules the creator instead, as the real provider does. */
  async #change(state: Values, live: Values, patches: boolean, work: Work): Promise<Values> {
    const { inputs, manager, context } = work;
    const cluster = this.#cluster();
    const force = isForced(inputs) || (context.preview && !patches && isFresh(live));
    try {
      if (!context.preview && !patches) await cluster.handOver(live, manager);
      return await cluster.apply(inputs, manager, { force, dryRun: context.preview });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // With the old state, so that the next refresh still detects changes by others.
      throw new InitializationError(idOf(live), state, [`${work.prefix} ${FAILED}: ${reasonOf(error, manager)}`]);
    }
  }

  /** Removes the fields that the patch has set, unless another manager has set them too. */
  async #relinquish(state: Values): Promise<void> {
    const { apiVersion, kind } = state;
    const [name, namespace] = ["name", "namespace"].map((field) => valueAt(state, "metadata", field));
    const bare: Values = { apiVersion, kind, metadata: { name, namespace } };
    await this.#cluster().apply(bare, managerOf({}, state), { force: false, dryRun: false });
  }

  /** The state of an object once it works. What does not come to work is recorded all the same. */
  async #settled(object: Values, work: Work): Promise<Values> {
    const { inputs, manager, context } = work;
    if (skipsWaiting(inputs)) return stateOf(object, inputs, manager);
    try {
      const live = await untilReady(this.#cluster(), object, deadline(inputs, context), context.signal);
      return stateOf(live, inputs, manager);
    } catch (error) {
      if (error instanceof NotReady) throw unsettled(error.live, work, error.reasons);
      throw unsettled(object, work, [error instanceof Error ? error.message : String(error)]);
    }
  }

  /** @throws Unreachable when the configuration names no cluster */
  #cluster(): Cluster {
    this.#connected ??= new Cluster(accessOf(this.#config));
    return this.#connected;
  }
}

/** The inputs of the last run. If it failed after its first changes, the engine still passes those of the run before. */
function recorded(inputs: Values, state: Values): Values {
  return normalized(isValues(state.__inputs) ? state.__inputs : inputs);
}

function managerOf(inputs: Values, state?: Values): string {
  const known = annotation(inputs, "pulumi.com/patchFieldManager") ?? textOf(state, "__fieldManager");
  return known ?? `pulumi-kubernetes-${randomBytes(4).toString("hex")}`;
}

function isForced(inputs: Values): boolean {
  return annotation(inputs, "pulumi.com/patchForce") === "true";
}

function skipsWaiting(object: Values): boolean {
  return annotation(object, "pulumi.com/skipAwait") === "true";
}

function deadline(object: Values, context: Context): number {
  const seconds = Number(annotation(object, "pulumi.com/timeoutSeconds") ?? 0) || context.timeout || TIMEOUT_S;
  return Date.now() + seconds * 1000;
}

/** The result of a dry run; undefined where that depends on what is not known or not done yet. */
async function dryRunOf(inputs: Values, dryRun: () => Promise<Values>): Promise<Values | undefined> {
  if (hasUnknown(inputs)) return undefined;
  return dryRun().catch((error: unknown) => {
    const isEarly = error instanceof ApiError && (error.status === 404 || error.message.endsWith("already exists"));
    if (isEarly || error instanceof Unreachable) return undefined;
    throw error;
  });
}

/** Returns the error message, with a hint for a field of another manager. */
function reasonOf({ message }: ApiError, manager: string): string {
  if (!message.includes("Apply failed with")) return message;
  const hint = 'to take the fields over, set the annotation pulumi.com/patchForce: "true"';
  return `The resource managed by field manager "${manager}" had an apply conflict: ${message}; ${hint}`;
}

function unsettled(live: Values, work: Work, reasons: readonly string[]): InitializationError {
  const [first = "", ...others] = reasons;
  const state = stateOf(live, work.inputs, work.manager);
  return new InitializationError(idOf(live), state, [`${work.prefix} ${FAILED}: ${first}`, ...others]);
}
