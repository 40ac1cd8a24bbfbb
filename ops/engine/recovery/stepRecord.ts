/**
 * The record of steps that the state may lack: the run was interrupted without checkpoints (ops/engine/recovery/checkpoints.ts), or the
 * response of a server was lost. The engine would create objects again and fail on their names, and would find no difference between a revert
 * and the values from before an update, so the next run reads these objects first (ops/engine/recovery/recovery.ts).
 */
import { appendFileSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { runtime } from "@pulumi/pulumi";
import type { Stack, StepEventMetadata } from "@pulumi/pulumi/automation/index.js";
import { errorText } from "../../../config/errors/errorText.ts";
import { UserError } from "../../../config/errors/userError.ts";
import { replaceFile } from "../../toolchain/replaceFile.ts";
import type { Resource } from "../state/state.ts";
import { lastOf } from "../step.ts";

/** The value of a secret in the record. */
export const MASKED = "[secret]";

/** Errors of requests that reached no server. */
const NEVER_SENT = /ECONNREFUSED|connection refused|no such host|ENOTFOUND|certificate|x509|handshake/i;
/** Errors of connections that ended before the response arrived, and of servers that do not know what became of the request. */
const NO_ANSWER = new RegExp(
  [
    "does not answer",
    "EOF",
    "reset",
    "time(d )?-?out",
    "deadline exceeded",
    "connection lost",
    "GOAWAY",
    "broken pipe",
    "stream error",
    "INTERNAL_ERROR",
    "closed network connection",
    "other side closed",
    "socket hang up",
    "is closing",
    "bad connection",
    "leader changed",
    "in the time allotted",
    "prevented the request from succeeding",
    "\\b50[0-4]\\b",
  ].join("|"),
  "i",
);
/** Answers of an API server, or of an admission webhook, that did not do what it was asked. */
const REFUSED = /already exists|not found|no matches for kind|invalid|forbidden|unauthorized|conflict|denied/i;

/** Returns whether a request may have succeeded despite an error. Names and addresses in it do not count: a service can have the name "presets". */
export function isResultUnknown(error: string): boolean {
  const text = withoutNames(error);
  return NO_ANSWER.test(text) && !NEVER_SENT.test(text);
}

/** Returns an error without what is quoted, and without words with a slash. */
function withoutNames(error: string): string {
  return error.replaceAll(/"[^"]*"|\S*\/\S*/g, "");
}

/**
 * Returns whether the next run has to complete a step that failed. A change of an object in Kubernetes counts as in effect unless it was refused: it
 * would stay in effect after a revert, and to make it again needs no answer of a server. Others are read first, so that a server that cannot be
 * used, e.g. because its certificate is another one, must not be among them. An object that already exists may be that of another owner, and the next run
 * would import it by its name.
 * @param error begins with the name of the resource
 */
export function isUnconfirmed({ urn, type, changed }: Recorded, error: string): boolean {
  const text = withoutNames(error.slice(`${lastOf(urn, "::")}: `.length));
  if (changed === undefined) return isResultUnknown(text) && !/already exists/i.test(text);
  return isResultUnknown(text) || (type.startsWith("kubernetes:") && !NEVER_SENT.test(text) && !REFUSED.test(text));
}

/** An entry of the record: a resource that is created, or one of the state that is updated or deleted. */
export type Recorded = Resource & { readonly changed?: "update" | "delete" };

/** Returns what the record contains of a step; undefined for one that changes nothing. */
export function recordedOf(metadata: StepEventMetadata): Recorded | undefined {
  const { op, urn, type } = metadata;
  if (op === "update") return { urn, type, changed: op };
  return op === "delete" || op === "delete-replaced" ? { urn, type, changed: "delete" } : creationOf(metadata);
}

/** Returns the resource that a step creates, as a state contains it, with secrets masked; undefined for a step that creates nothing. */
export function creationOf({ op, new: after }: StepEventMetadata): Resource | undefined {
  if (!(op === "create" || op === "create-replacement") || !after) return undefined;
  const { urn, type, custom = false, parent, provider, protect, retainOnDelete, inputs } = after;
  const options = {
    ...(parent && { parent }),
    ...(provider && { provider }),
    ...(protect && { protect }),
    ...(retainOnDelete && { retainOnDelete }),
  };
  return { urn, type, custom, ...options, inputs: masked(inputs) };
}

/** Returns inputs with a mask for each secret, which an event has as an object of Pulumi's encoding with masked content: a state with it cannot be imported. */
function masked(inputs: object): Record<string, unknown> {
  const text = JSON.stringify(inputs, (_key, value: unknown) => (isSecret(value) ? MASKED : value));
  return JSON.parse(text) as Record<string, unknown>;
}

function isSecret(value: unknown): boolean {
  return (value as Record<string, unknown> | null)?.[runtime.specialSigKey] === runtime.specialSecretSig;
}

/**
 * Appends entries to the record. It is synchronous, so that a step that begins afterwards is in the file. Each entry begins a new line, also
 * after one that was cut because the process was killed or the disk was full.
 */
export function recordSteps(stack: Stack, steps: readonly Recorded[]): void {
  if (steps.length > 0) append(stack, textOf(steps));
}

/** Creates the record of steps. @throws UserError when the record cannot be written */
export function createRecord(stack: Stack): void {
  append(stack, "");
}

function append({ workspace, name }: Stack, text: string): void {
  const file = recordFile(workspace.workDir, name);
  try {
    appendFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    throw new UserError(
      `the steps of the deployment cannot be recorded: ${errorText(error)}`,
      `make ${file} writable, or set GATEHOUSE_CHECKPOINTS=true (docs/deploy.md, After an interruption)`,
    );
  }
}

/** Replaces the record. One without entries is deleted: every step is in the state, or was read. A killed process leaves the old one. */
export function writeRecord(stack: Stack, steps: readonly Recorded[]): void {
  const file = recordFile(stack.workspace.workDir, stack.name);
  if (steps.length === 0) rmSync(file, { force: true });
  else replaceFile(file, textOf(steps), 0o600);
}

function textOf(steps: readonly Recorded[]): string {
  return steps.map((step) => `\n${JSON.stringify(step)}\n`).join("");
}

/** A stack, which need not be open. */
interface RecordedStack {
  readonly name: string;
  /** Of the engine. */
  readonly workspace: { readonly workDir: string };
}

/** Returns the entries of the record, each step once, in the order of their beginning. The event of a component lacks outputs that an earlier entry has. */
export async function readRecord({ workspace, name }: RecordedStack): Promise<Recorded[]> {
  const text = await readFile(recordFile(workspace.workDir, name), "utf8").catch(() => "");
  const parsed = text.split("\n").flatMap(entryOf);
  const steps = new Map<string, Recorded>();
  for (const entry of parsed) {
    const step = `${entry.urn} ${entry.changed ?? ""}`;
    steps.set(step, { ...steps.get(step), ...entry });
  }
  return [...steps.values()];
}

/** Returns no entry for a line that is no JSON: it is empty, or was cut, and its step had not begun. */
function entryOf(line: string): Recorded[] {
  try {
    return [JSON.parse(line) as Recorded];
  } catch {
    return [];
  }
}

/** Returns the path of the record of steps. @param workspace folder of the engine's workspace */
export function recordFile(workspace: string, stack: string): string {
  return join(workspace, `creations-${stack}.jsonl`);
}
