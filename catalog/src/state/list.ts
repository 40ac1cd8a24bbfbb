/** State of the list. The query string contains all of it. */
export interface ListState {
  /** Chosen tags, `<namespace>:<value>`. */
  readonly tags: readonly string[];
  /** Free text over names and tags. */
  readonly text: string;
  /** Only endpoints with a column of this name; empty for all. */
  readonly column: string;
  /** The value of that column which links to endpoints pass on; empty for none. */
  readonly value: string;
}

/** Reads the state of the list from a query string: `tag` (repeated), `q`, `column`, `value`. */
export function readList(params: URLSearchParams): ListState {
  return {
    tags: [...new Set(params.getAll("tag").filter(Boolean))],
    text: params.get("q") ?? "",
    column: params.get("column") ?? "",
    value: params.get("value") ?? "",
  };
}

/** Returns the query string of a state, without the parts that are not set. */
export function writeList({ tags, text, column, value }: Partial<ListState>): URLSearchParams {
  const params = new URLSearchParams();
  for (const tag of tags ?? []) params.append("tag", tag);
  if (text) params.set("q", text);
  if (column) params.set("column", column);
  if (column && value) params.set("value", value);
  return params;
}

/** Returns the chosen tags with one more, or without it if it was chosen. */
export function toggled(tags: readonly string[], tag: string): string[] {
  return tags.includes(tag) ? tags.filter((other) => other !== tag) : [...tags, tag];
}
