import type { VNode } from "preact";
import { Link } from "wouter-preact";
import type { Endpoint } from "../api/meta.ts";
import { useText } from "../i18n/text.tsx";
import { tablePath } from "../state/paths.ts";
import type { ListState } from "../state/list.ts";
import { shortened } from "../text/visible.ts";
import { Datum } from "./Datum.tsx";

/** One relation in the list. */
export function EndpointItem({ endpoint, state }: { endpoint: Endpoint; state: ListState }): VNode {
  const { t } = useText();
  const { schema, relation, title, kind, description, tags, row_estimate } = endpoint;
  const filters =
    state.column && state.value ? [{ column: state.column, operator: "eq" as const, value: state.value }] : [];
  return (
    <li class="endpoint">
      <Link href={tablePath(schema, relation, { filters })}>
        <Datum>{title ?? relation}</Datum>
      </Link>{" "}
      <small>
        <code>
          <Datum>{`${schema}.${relation}`}</Datum>
        </code>
        {kind && <Datum>{` · ${kind}`}</Datum>}
        {row_estimate !== null && ` · ${t("aboutRows", { count: row_estimate })}`}
      </small>
      {description && (
        <p>
          <Datum>{shortened(description, 300).text}</Datum>
        </p>
      )}
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
