import { isScalar, isSeq, parse } from "yaml";
import type { Fields, Stored } from "./objects.ts";
import type { Runtime } from "./resources.ts";
import { noTasks } from "./tasks.ts";
import { listed, remove, resourceOfModel, save } from "./write.ts";

type Entry = {
  id?: string;
  model?: string;
  state?: string;
  conditions?: unknown[];
  identifiers?: Fields;
  attrs?: Fields;
};
type Context = { runtime: Runtime; context: Fields; created: Map<string, Stored> };

/** A YAML tag; resolved when its entry is applied, since it may point at an earlier entry. */
class Tag {
  readonly name: string;
  readonly argument: unknown;
  constructor(name: string, argument: unknown) {
    this.name = name;
    this.argument = argument;
  }
}

const TAGS = ["!Find", "!Context", "!KeyOf", "!Env", "!Format"];
const customTags = TAGS.flatMap((tag) => [
  { tag, resolve: (text: string) => new Tag(tag, text) },
  {
    tag,
    collection: "seq" as const,
    resolve: (node: unknown) => new Tag(tag, isSeq(node) ? node.items.map(valueOf) : []),
  },
]);

/** Applies a blueprint as a whole or not at all. @throws Error for what authentik does not accept, and for what the emulator does not know */
export function applyBlueprint(runtime: Runtime, content: string, context: Fields): void {
  validateBlueprint(runtime, content, context);
  applyEntries(runtime, content, context);
}

/** Changes nothing. @throws Error for a blueprint that cannot be applied */
export function validateBlueprint(runtime: Runtime, content: string, context: Fields): void {
  applyEntries({ ...runtime, store: runtime.store.copy(), tasks: noTasks }, content, context);
}

/** Returns the metadata of a blueprint with `labels`; empty without metadata. */
export function metadataOf(content: string): Fields {
  const { metadata } = documentOf(content);
  return metadata ? { labels: {}, ...metadata } : {};
}

function applyEntries(runtime: Runtime, content: string, given: Fields): void {
  const { entries, context: own = {} } = documentOf(content);
  if (!Array.isArray(entries)) throw new Error("a blueprint has a list `entries`");
  const context: Context = { runtime, context: { ...own, ...given }, created: new Map() };
  for (const entry of entries) applyEntry(context, entry);
}

function applyEntry(context: Context, { id, model = "", state = "present", conditions = [], ...rest }: Entry): void {
  const { runtime } = context;
  if (model === "authentik_blueprints.metaapplyblueprint") return;
  if (!conditions.every((condition) => Boolean(resolved(context, condition)))) return;
  const [identifiers, attrs] = [rest.identifiers, rest.attrs].map((one) => resolved(context, one ?? {}) as Fields);
  const resource = resourceOfModel(model);
  const current = found(runtime, model, identifiers ?? {});
  if (state === "absent") return current && remove(runtime, resource, current);
  const isKept = current && state === "created";
  const fields = { ...identifiers, ...attrs };
  const object = isKept ? current : save(runtime, resource, current, fields, current !== undefined);
  if (id) context.created.set(id, object);
}

function resolved(context: Context, value: unknown): unknown {
  if (value instanceof Tag) return resolvedTag(context, value.name, resolved(context, value.argument));
  if (Array.isArray(value)) return value.map((entry) => resolved(context, entry));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, resolved(context, entry)]));
}

function resolvedTag({ runtime, context, created }: Context, name: string, argument: unknown): unknown {
  const [first, ...rest] = Array.isArray(argument) ? (argument as unknown[]) : [argument];
  const key = String(first);
  if (name === "!Context") return context[key] ?? rest[0];
  if (name === "!Env") return process.env[key] ?? rest[0] ?? null;
  if (name === "!Find") return found(runtime, key, Object.fromEntries(rest as [string, unknown][]))?.pk ?? null;
  if (name === "!Format") return rest.reduce<string>((text, part) => text.replace("%s", String(part)), key);
  const object = created.get(key);
  if (!object) throw new Error(`KeyOf: no entry ${key} was applied before`);
  return object.pk;
}

function found(runtime: Runtime, model: string, fields: Fields): Stored | undefined {
  return listed(runtime, resourceOfModel(model)).find((object) =>
    Object.entries(fields).every(([name, value]) => object[name] === value),
  );
}

function documentOf(content: string): { entries?: Entry[]; context?: Fields; metadata?: Fields } {
  return (parse(content, { customTags }) ?? {}) as { entries?: Entry[]; context?: Fields; metadata?: Fields };
}

/** The value of a parsed node, tags in it kept. */
function valueOf(node: unknown): unknown {
  if (isScalar(node)) return node.value;
  if (isSeq(node)) return node.items.map(valueOf);
  return node;
}
