import { createHash } from "node:crypto";
import { isMap, isSeq, parse } from "yaml";
import { log } from "./log.ts";
import type { Blueprint, Fields, Stored } from "./objects.ts";
import type { World } from "./resources.ts";
import { listed, remove, resourceOfModel, save } from "./write.ts";

type Entry = { model?: string; state?: string; identifiers?: Fields; attrs?: Fields };

/**
 * Applies a blueprint's content at once and gives the blueprint with its status. Entries of every model of the REST API are known;
 * of the YAML tags, `!Find [model, [field, value]]` and `!Context name`. Any fault makes the status `error`.
 */
export function applyBlueprint(world: World, blueprint: Blueprint): Blueprint {
  const last_applied_hash = createHash("sha512").update(blueprint.content).digest("hex");
  let status = "successful";
  try {
    if (blueprint.enabled) for (const entry of entriesOf(world, blueprint)) applyEntry(world, entry);
  } catch (error) {
    status = "error";
    log("error", "blueprint failed", { blueprint: blueprint.pk, error: (error as Error).message });
  }
  const applied = { ...blueprint, status, last_applied_hash, last_applied: new Date().toISOString() };
  return world.store.put("blueprint", applied);
}

function entriesOf(world: World, { content, context }: Blueprint): Entry[] {
  const customTags = [
    { tag: "!Context", resolve: (name: string) => context[name] },
    {
      tag: "!Find",
      collection: "seq" as const,
      resolve: (node: unknown) => {
        if (!isSeq(node)) throw new Error("!Find takes [model, [field, value]]");
        const [model, ...pairs] = node.toJSON() as [string, ...[string, unknown][]];
        return found(world, model, Object.fromEntries(pairs))?.pk ?? null;
      },
    },
  ];
  const document = parse(content, { customTags }) as { entries?: Entry[] } | null;
  if (isMap(document) || !Array.isArray(document?.entries)) throw new Error("a blueprint has a list `entries`");
  return document.entries;
}

function applyEntry(world: World, { model = "", state = "present", identifiers = {}, attrs = {} }: Entry): void {
  const resource = resourceOfModel(model);
  const current = found(world, model, identifiers);
  if (state === "absent") {
    if (current) remove(world, resource, current);
  } else if (!current) {
    save(world, resource, undefined, { ...identifiers, ...attrs });
  } else if (state !== "created") {
    save(world, resource, current, { ...identifiers, ...attrs }, true);
  }
}

function found(world: World, model: string, fields: Fields): Stored | undefined {
  return listed(world, resourceOfModel(model)).find((object) =>
    Object.entries(fields).every(([name, value]) => object[name] === value),
  );
}
