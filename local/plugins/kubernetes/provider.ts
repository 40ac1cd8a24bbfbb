import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

import { warn } from "../protocol/engine.ts";
import { InitializationError, UNKNOWN } from "../protocol/plugin.ts";
import type { Change, CheckResult, Context, Plugin, Values } from "../protocol/plugin.ts";
import { isValues, textOf } from "../protocol/values.ts";
import { Cluster } from "./cluster.ts";
import { ApiError, Unreachable } from "./errors.ts";
import { accessOf } from "./kubeconfig.ts";
import {
  annotation,
  foretold,
  hasUnknown,
  hidden,
  idOf,
  importedInputs,
  lookup,
  refreshedInputs,
  stateOf,
  withName,
} from "./objects.ts";
import { NotReady, untilGone, untilReady } from "./readiness.ts";
import { compare } from "./replacement.ts";

const TIMEOUT_S = 600;
/** How long a new kind or namespace may take to show, as with the real provider, which tries again too. */
const SHOWS_AFTER_MS = 10_000;

/**
 * Stands in for the `kubernetes` plugin 4.34.2 where that cannot be had: any kind, by server-side apply. It has no Helm charts, no
 * YAML files, no Patch resources.
 */
export class Kubernetes implements Plugin {
  readonly name = "kubernetes";
  readonly version = "4.34.2";
  #config: Values = {};
  #connected: Cluster | undefined;
  #warned = false;

  /** A cluster that is not there fails the calls that need it, not a preview. */
  configure(config: Values): Promise<void> {
    this.#config = config;
    this.#connected = undefined;
    return Promise.resolve();
  }

  async check(_type: string, olds: Values | undefined, news: Values, urn: string): Promise<CheckResult> {
    const missing = ["apiVersion", "kind"].filter((property) => news[property] === undefined);
    const failures = missing.map((property) => ({ property, reason: `${property} is required` }));
    const given = news.metadata ?? {};
    if (failures.length > 0 || !isValues(given)) return { inputs: hidden(news), failures };
    const metadata = { ...withName(given, olds?.metadata, urn) };
    if (metadata.namespace === undefined) metadata.namespace = await this.#defaultNamespace(news);
    return { inputs: hidden({ ...news, metadata }), failures };
  }

  diff(_type: string, _id: string, oldInputs: Values, _oldState: Values, news: Values): Promise<Change> {
    const mutable = ["ConfigMap", "Secret"].filter((kind) => this.#isOn(`enable${kind}Mutable`));
    return Promise.resolve(compare(oldInputs, news, mutable));
  }

  async create(_type: string, inputs: Values, context: Context): Promise<{ id: string; state: Values }> {
    const manager = annotation(inputs, "pulumi.com/patchFieldManager") ?? newManager();
    if (context.preview) return { id: "", state: await this.#foretell(inputs, inputs, manager, true) };
    const live = await explained(inputs, () => this.#createPatiently(inputs, manager));
    return { id: idOf(live), state: await this.#settled(live, inputs, manager, context) };
  }

  async read(type: string, id: string, inputs: Values | undefined, state: Values | undefined) {
    const live = await explained(lookup(type, id), () =>
      this.#reach((cluster) => cluster.read(state ?? lookup(type, id))),
    );
    if (!live) return undefined;
    const manager = textOf(state?.__fieldManager) ?? newManager();
    const now = stateOf(live, inputs ?? {}, manager);
    const known = inputs && state ? refreshedInputs(inputs, state, now) : importedInputs(live);
    return { id: idOf(live), inputs: hidden(known), state: hidden(now) };
  }

  async update(_type: string, _id: string, oldState: Values, news: Values, context: Context): Promise<Values> {
    const manager = annotation(news, "pulumi.com/patchFieldManager") ?? textOf(oldState.__fieldManager) ?? newManager();
    if (context.preview) return this.#foretell(news, { ...oldState, ...news }, manager, false);
    const live = await explained(news, async () => this.#apply(this.#cluster(), news, manager, false));
    return this.#settled(live, news, manager, context);
  }

  async delete(_type: string, _id: string, state: Values, context: Context): Promise<void> {
    await explained(state, () =>
      this.#reach(async (cluster) => {
        const found = await cluster.remove(state);
        if (found && !skipsWaiting(state)) await untilGone(cluster, state, deadline(state, context), context.signal);
        return undefined;
      }),
    );
  }

  async #defaultNamespace(object: Values): Promise<string | undefined> {
    try {
      const cluster = this.#cluster();
      return (await cluster.isNamespaced(object)) ? cluster.namespace : undefined;
    } catch (error) {
      return this.#warn(error);
    }
  }

  /** The state that an apply would lead to; the fallback where that cannot be asked. Changes nothing. */
  async #foretell(inputs: Values, fallback: Values, manager: string, isNew: boolean): Promise<Values> {
    const unsure = hidden({ ...fallback, status: UNKNOWN });
    if (hasUnknown(inputs)) return unsure;
    try {
      const cluster = this.#cluster();
      // What is there may be about to be deleted, for a replacement.
      if (isNew && (await cluster.read(inputs))) return unsure;
      const state = stateOf(await this.#apply(cluster, inputs, manager, true), inputs, manager);
      return hidden(isNew ? foretold(state, inputs) : state);
    } catch (error) {
      if (!(error instanceof ApiError)) this.#warn(error);
      else if (error.status !== 404) throw explanation(inputs, error);
      return unsure;
    }
  }

  async #createPatiently(inputs: Values, manager: string): Promise<Values> {
    const cluster = this.#cluster();
    if (await cluster.read(inputs)) throw new Error("it already exists; import it, or give the resource another name");
    for (const giveUp = Date.now() + SHOWS_AFTER_MS; ;) {
      try {
        return await this.#apply(cluster, inputs, manager, false);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 404 || Date.now() > giveUp) throw error;
        await pause(250);
      }
    }
  }

  async #apply(cluster: Cluster, inputs: Values, manager: string, dryRun: boolean): Promise<Values> {
    const force = annotation(inputs, "pulumi.com/patchForce") === "true" || this.#isOn("enablePatchForce");
    return cluster.apply(inputs, manager, { force, dryRun });
  }

  /** The state of an object once it works. What does not come to work is recorded all the same. */
  async #settled(object: Values, inputs: Values, manager: string, context: Context): Promise<Values> {
    if (skipsWaiting(inputs)) return hidden(stateOf(object, inputs, manager));
    try {
      const live = await untilReady(this.#cluster(), object, deadline(inputs, context), context.signal);
      return hidden(stateOf(live, inputs, manager));
    } catch (error) {
      const { live, reasons } = error instanceof NotReady ? error : new NotReady(object, [messageOf(error)]);
      const named = reasons.map((reason) => `${told(inputs)}: ${reason}`);
      throw new InitializationError(idOf(live), hidden(stateOf(live, inputs, manager)), named);
    }
  }

  /** Asks the cluster; with `deleteUnreachable`, what lies in a cluster that is gone counts as gone. */
  async #reach<Result>(ask: (cluster: Cluster) => Promise<Result>): Promise<Result | undefined> {
    try {
      return await ask(this.#cluster());
    } catch (error) {
      if (error instanceof Unreachable && this.#isOn("deleteUnreachable")) return undefined;
      throw error;
    }
  }

  #isOn(option: string): boolean {
    return [true, "true"].includes(this.#config[option] as boolean | string);
  }

  /** Throws Unreachable where the configuration leads to no cluster. */
  #cluster(): Cluster {
    this.#connected ??= new Cluster(accessOf(this.#config));
    return this.#connected;
  }

  #warn(error: unknown): undefined {
    if (!(error instanceof Unreachable)) throw error;
    if (!this.#warned) warn(`${error.message}; this preview was made without it`);
    this.#warned = true;
  }
}

function newManager(): string {
  return `pulumi-kubernetes-${randomBytes(4).toString("hex")}`;
}

function skipsWaiting(object: Values): boolean {
  return annotation(object, "pulumi.com/skipAwait") === "true";
}

function deadline(object: Values, context: Context): number {
  const seconds = Number(annotation(object, "pulumi.com/timeoutSeconds") ?? 0) || context.timeout || TIMEOUT_S;
  return Date.now() + seconds * 1000;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function told(object: Values): string {
  return `${textOf(object.kind)} "${idOf(object)}"`;
}

async function explained<Result>(object: Values, run: () => Promise<Result>): Promise<Result> {
  return run().catch((error: unknown) => {
    throw explanation(object, error);
  });
}

/** The error with the object named, and what to do about a field that someone else manages. */
function explanation(object: Values, error: unknown): Error {
  const message = messageOf(error);
  const conflict = error instanceof ApiError && error.status === 409 && message.includes("conflict");
  const cure = '; to take the fields over, set the annotation pulumi.com/patchForce: "true"';
  return new Error(`${told(object)}: ${message}${conflict ? cure : ""}`);
}
