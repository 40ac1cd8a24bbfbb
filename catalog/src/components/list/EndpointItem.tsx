import type { VNode } from "preact";
import { Link } from "wouter-preact";
import type { Endpoint, Source } from "../../api/meta.ts";
import { useText } from "../../i18n/text.tsx";
import { freshnessOf } from "../../state/freshness.ts";
import type { ListState } from "../../state/list.ts";
import { tablePath } from "../../state/paths.ts";
import { shortened } from "../../text/visible.ts";
import { Freshness } from "../description/Freshness.tsx";
import { Datum } from "../shared/Datum.tsx";
import { RowCount } from "./RowCount.tsx";

interface Props {
  readonly endpoint: Endpoint;
  /** Sources by id; undefined = not loaded. */
  readonly sources: ReadonlyMap<string, Source> | undefined;
  readonly state: ListState;
}

/** The card of a relation: title, description, number of rows, freshness and tags. */
export function EndpointItem({ endpoint, sources, state }: Props): VNode {
  const { t, date } = useText();
  const { schema, relation, title, kind, description, tags, source_ids } = endpoint;
  const filters =
    state.column && state.value ? [{ column: state.column, operator: "eq" as const, value: state.value }] : [];
  const own = source_ids.flatMap((id) => sources?.get(id) ?? []);
  // Rows of several sources are only as recent as those of the source that was not ingested for the longest time.
  const ingested = own.map(({ last_ingested_at }) => last_ingested_at).sort()[0];
  return (
    <li class="endpoint">
      <h3>
        <Link href={tablePath(schema, relation, { filters })}>
          <Datum>{title ?? relation}</Datum>
        </Link>
      </h3>
      <small>
        <code>
          <Datum>{`${schema}.${relation}`}</Datum>
        </code>
        {kind && <Datum>{` · ${kind}`}</Datum>}
      </small>
      {description && (
        <p>
          <Datum>{shortened(description, 300).text}</Datum>
        </p>
      )}
      <p class="measures">
        <RowCount endpoint={endpoint} /> {own.length > 0 && <Freshness freshness={freshnessOf(own)} />}{" "}
        {ingested && (
          <span>
            {t("ingested")} <time dateTime={ingested}>{date(ingested)}</time>
          </span>
        )}
      </p>
      <ul class="tags">
        {tags.map((tag) => (
          <li key={tag}>
            <Datum>{shortened(tag, 80).text}</Datum>
          </li>
        ))}
      </ul>
    </li>
  );
}
