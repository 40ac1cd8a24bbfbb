/** The changelog of the contracts: Markdown, newest entry first. Pure. */
import { type Change, nameOf, shapeOf } from "./compare.ts";
import type { Contract } from "./contract.ts";

export interface Entry {
  /** UTC, like `2026-11-30`. */
  readonly day: string;
  readonly schema: string;
  /** Undefined for a first version, of which the entry contains the size only. */
  readonly changes: readonly Change[] | undefined;
  readonly found: Contract;
  /** Why clients are broken; required when a change breaks them. */
  readonly reason: string | undefined;
}

/**
 * Puts an entry before the first one of a changelog, and keeps its title and the text below it, which can be edited.
 * @param text the current changelog; empty = none yet
 */
export function addEntry(text: string, stack: string, entry: Entry): string {
  const current = text.replaceAll("\r\n", "\n");
  const [title = ""] = /^# .*\n?/.exec(current) ?? [];
  const below = current.slice(title.length).trimStart();
  const first = /^## /m.exec(below)?.index ?? (title === "" ? 0 : below.length);
  const parts = [title || `# Changelog of the data API (${stack})`, below.slice(0, first), describe(entry)];
  const above = parts.flatMap((part) => part.trim() || []).join("\n\n");
  return (
    [above, below.slice(first)]
      .flatMap((part) => part || [])
      .join("\n\n")
      .trimEnd() + "\n"
  );
}

function describe({ day, schema, changes, found, reason }: Entry): string {
  const heading = `## ${day}, ${schema}`;
  if (changes === undefined) return `${heading}\n\n${firstVersion(found)}\n`;
  const titleOf = ({ breaking, was }: Change) => (breaking ? breakingTitle : was === undefined ? "Added" : "Changed");
  const breakingTitle = `Breaking: ${(reason ?? "").trim().replace(/\s+/g, " ")}`;
  if (changes.length === 0) return `${heading}\n\n${breakingTitle}\n\nRemoved: the contract had no relations.\n`;
  const sections = Map.groupBy(changes, titleOf);
  const parts = [breakingTitle, "Added", "Changed"].flatMap((title) => {
    const lines = sections
      .get(title)
      ?.map((change) => `- \`${nameOf(change)}\`: ${shapeOf(change)} (${change.reason})`);
    return lines ? [title, lines.join("\n")] : [];
  });
  return `${[heading, ...parts].join("\n\n")}\n`;
}

function firstVersion({ relations }: Contract): string {
  const columns = [...relations.values()].reduce((sum, { size }) => sum + size, 0);
  return `First version: relations ${relations.size}, columns ${columns}.`;
}
