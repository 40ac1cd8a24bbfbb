/** Parts of a dbt manifest.json as dbt 1.11 writes it, of what the catalog reads. */

interface Described {
  readonly schema?: string;
  readonly materialized?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  /** The value of `meta.gatehouse`. */
  readonly gatehouse?: unknown;
  readonly columns?: Readonly<Record<string, { readonly description?: string; readonly meta?: unknown }>>;
  /** Ids of what it reads: `model.p.<name>`, `source.p.ssb.<name>`. */
  readonly reads?: readonly string[];
  readonly persist?: boolean;
  readonly grants?: Readonly<Record<string, readonly string[]>>;
  readonly database?: string;
  readonly loadedAt?: string;
  readonly warnAfter?: { readonly count: number; readonly period: string };
  /** `meta.gatehouse` of the group of a source. */
  readonly group?: unknown;
  /** `meta.contains_pii`. */
  readonly pii?: unknown;
  /** `meta.contains_pii` of the group of a source. */
  readonly groupPii?: unknown;
  /** Makes it a test: `config.store_failures`. */
  readonly stored?: boolean | null;
}

export interface Manifest {
  readonly nodes: Readonly<Record<string, unknown>>;
  readonly sources: Readonly<Record<string, unknown>>;
}

/** A manifest of models and of tables of the source `ssb`, by name. */
export function manifestOf(
  models: Readonly<Record<string, Described>>,
  sources: Readonly<Record<string, Described>> = {},
): Manifest {
  const entries = (of: Readonly<Record<string, Described>>, write: (name: string, entry: Described) => unknown) =>
    Object.fromEntries(Object.entries(of).map(([name, entry]) => [idOf(write === source, name), write(name, entry)]));
  return { nodes: entries(models, model), sources: entries(sources, source) };
}

export const idOf = (isSource: boolean, name: string): string =>
  isSource ? `source.p.ssb.${name}` : `model.p.${name}`;

function common(
  name: string,
  { database, schema, description = "", gatehouse, pii, tags = [], columns = {} }: Described,
) {
  const meta = {
    ...(gatehouse === undefined ? {} : { gatehouse }),
    ...(pii === undefined ? {} : { contains_pii: pii }),
  };
  return {
    name,
    database: database ?? "gatehouse",
    schema,
    description,
    tags,
    meta,
    columns: Object.fromEntries(
      Object.entries(columns).map(([column, { description: text = "", meta: of = {} }]) => [
        column,
        {
          name: column,
          description: text,
          meta: of,
          config: {
            meta: of,
            tags: [],
          },
        },
      ]),
    ),
    config: { meta, enabled: true },
  };
}

function model(name: string, entry: Described): unknown {
  const { config, ...rest } = common(name, { schema: "marts", ...entry });
  const { materialized = "incremental", persist = true, reads = [], grants = {}, stored } = entry;
  return {
    ...rest,
    resource_type: stored === undefined ? "model" : "test",
    alias: name,
    source_name: null,
    patch_path: stored === undefined ? "p://models/marts.yml" : null,
    original_file_path: `models/${name}.sql`,
    config: {
      ...config,
      ...(stored === undefined ? {} : { store_failures: stored, store_failures_as: stored ? "table" : null }),
      materialized: stored === undefined ? materialized : "test",
      grants,
      persist_docs: persist
        ? {
            relation: true,
            columns: true,
          }
        : {},
    },
    depends_on: { macros: [], nodes: reads },
  };
}

function source(name: string, entry: Described): unknown {
  const { config, ...rest } = common(name, { schema: "raw", ...entry });
  const freshness = { warn_after: entry.warnAfter ?? { count: null, period: null }, error_after: { count: null } };
  return {
    ...rest,
    resource_type: "source",
    source_name: "ssb",
    identifier: name,
    patch_path: null,
    original_file_path: "models/sources.yml",
    loaded_at_field: entry.loadedAt ?? null,
    source_meta: {
      ...(entry.group === undefined ? {} : { gatehouse: entry.group }),
      ...(entry.groupPii === undefined ? {} : { contains_pii: entry.groupPii }),
    },
    config: {
      ...config,
      freshness,
      loaded_at_field: entry.loadedAt ?? null,
    },
    freshness,
  };
}
