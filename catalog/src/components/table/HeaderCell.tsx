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
  readonly direction: "asc" | "desc" | false;
  readonly toggle: () => void;
  /** Begins a condition on it. */
  readonly filter: () => void;
}

/** Name, type and meaning of a column; its buttons sort and filter. */
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
