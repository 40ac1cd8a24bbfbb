import { createHash } from "node:crypto";
import { applyBlueprint, metadataOf, validateBlueprint } from "./blueprint.ts";
import { log } from "./log.ts";
import type { Blueprint, Fields, Stored } from "./objects.ts";
import { ApiError } from "./apiError.ts";
import { createOf } from "./resources.ts";
import type { Runtime } from "./resources.ts";

/** A blueprint file as the worker reports it. */
export type Discovered = { path: string; name: string; hash: string };
/** A blueprint to apply; `content` is that of its file, which the worker adds. */
export type Applied = { pk: string; path: string; content?: string };

/** Creates the instance of a file that has none, and applies it unless its content was applied last. */
export function discoverBlueprint(runtime: Runtime, { path, name, hash }: Discovered): void {
  const known = runtime.store.find("blueprint", { path });
  const instance = known ?? runtime.store.put("blueprint", { ...createOf(runtime, "blueprint"), path, name });
  if (instance.last_applied_hash !== hash) sendApply(runtime, instance);
}

/** Sends the task that applies a blueprint; the only path on which one is applied (docs/authentik.md, Blueprints and start-up). */
export function sendApply({ tasks }: Runtime, { pk, path }: Blueprint): void {
  tasks.send("apply_blueprint", JSON.stringify({ pk, path } satisfies Applied));
}

/** Applies a blueprint and records the result; skips a disabled one. */
export function applyInstance(runtime: Runtime, { pk, path, content }: Applied): void {
  const instance = runtime.store.get("blueprint", pk);
  if (!instance?.enabled) return;
  const text = content ?? instance.content;
  try {
    if (path && content === undefined) throw new Error(`the worker has no file ${path}`);
    applyBlueprint(runtime, text, instance.context);
    recordApplied(runtime, instance, createHash("sha512").update(text).digest("hex"), metadataOf(text));
  } catch (error) {
    runtime.store.put("blueprint", { ...instance, status: "error" });
    log("error", "blueprint failed", { blueprint: instance.name, error: (error as Error).message });
  }
}

/** Records that the blueprint of an instance was applied. @param hash of its text */
export function recordApplied(
  { store }: Runtime,
  instance: Blueprint,
  hash: string,
  metadata: Blueprint["metadata"],
): void {
  const last_applied = new Date().toISOString();
  store.put("blueprint", { ...instance, status: "successful", last_applied_hash: hash, last_applied, metadata });
}

/** @throws ApiError for a blueprint that cannot be applied */
export function validateContent(runtime: Runtime, current: Stored | undefined, body: Fields): void {
  const { content = "", path = "" } = { content: current?.["content"], path: current?.["path"], ...body } as Fields;
  if (content === "" && path === "") {
    throw new ApiError(400, { non_field_errors: ["Either path or content must be set."] });
  }
  const context = (body["context"] ?? current?.["context"] ?? {}) as Fields;
  if (typeof body["content"] !== "string" || body["content"] === "") return;
  try {
    validateBlueprint(runtime, body["content"], context);
  } catch (error) {
    throw new ApiError(400, {
      content: ["Failed to validate blueprint", `- ${(error as Error).message}`, "- Blueprint validation failed"],
    });
  }
}
