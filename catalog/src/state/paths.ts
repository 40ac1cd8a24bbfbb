import { type ListState, writeList } from "./list.ts";
import { type ViewState, writeView } from "./view.ts";

/** Returns the path of the list, below the base path. */
export function listPath(state: Partial<ListState> = {}): string {
  return withQuery("/data", writeList(state));
}

/** Returns the path of a relation's viewer, below the base path. */
export function tablePath(schema: string, relation: string, view: Partial<ViewState> = {}): string {
  return withQuery(`/data/${segment(schema)}/${segment(relation)}`, writeView(view));
}

/** Returns the path of a source's page, below the base path. */
export function sourcePath(id: string): string {
  return `/sources/${segment(id)}`;
}

function segment(name: string): string {
  return encodeURIComponent(name.toWellFormed());
}

function withQuery(path: string, params: URLSearchParams): string {
  return params.size > 0 ? `${path}?${params.toString()}` : path;
}
