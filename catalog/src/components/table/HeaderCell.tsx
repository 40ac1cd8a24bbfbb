import type { VNode } from "preact";
import { useText } from "../../i18n/text.tsx";
import { type Column, isSortable } from "../../state/columns.ts";
import { shortened, visible } from "../../text/visible.ts";
import { Datum } from "../shared/Datum.tsx";

interface Props {
  readonly column: Column;
  /** Position in the table, from 1. */
  readonly position: number;
  /** In pixels. */
  readonly width: number;
  /** The order of the rows by this column; false = not sorted by it. */
  readonly direction: "asc" | "desc" | false;
  /** Sorts by the column in the next order. */
  readonly toggle: () => void;
  /** Opens the form for a filter on the column. */
  readonly filter: () => void;
}

/** The header of a column: name, type and description, a button that sorts and one that filters. */
export function HeaderCell({ column, position, width, direction, toggle, filter }: Props): VNode {
  const { t } = useText();
  const sortable = isSortable(column);
  const sorted = direction ? t(direction === "asc" ? "ascending" : "descending") : undefined;
  return (
    <th
      scope="col"
      aria-colindex={position}
      aria-sort={
        !sortable ? undefined : direction === false ? "none" : direction === "asc" ? "ascending" : "descending"
      }
      style={{ minWidth: `${width}px`, width: `${width}px` }}
      title={column.description ? visible(column.description) : undefined}
    >
      {sortable ? (
        <button
          type="button"
          class="link"
          aria-label={[t("sortBy", { column: visible(column.name) }), sorted].filter(Boolean).join(", ")}
          onClick={toggle}
        >
          <Datum>{column.name}</Datum>{" "}
          <span aria-hidden="true">{direction === "asc" ? "▲" : direction === "desc" ? "▼" : "↕"}</span>
        </button>
      ) : (
        <Datum>{column.name}</Datum>
      )}
      <button
        type="button"
        class="link funnel"
        aria-label={t("filterBy", { column: visible(column.name) })}
        title={t("filterBy", { column: visible(column.name) })}
        onClick={filter}
      >
        <span aria-hidden="true">▽</span>
      </button>
      <small>
        <Datum>{column.type}</Datum>
        {column.key && ` · ${t("key")}`}
      </small>
      {column.description && (
        <small class="meaning">
          <Datum>{shortened(column.description, 120).text}</Datum>
        </small>
      )}
    </th>
  );
}
