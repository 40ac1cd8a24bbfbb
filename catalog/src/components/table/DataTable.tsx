import { rowSortingFeature, tableFeatures, useTable } from "@tanstack/preact-table";
import type { VNode } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Row } from "../../api/rows.ts";
import { useText } from "../../i18n/text.tsx";
import type { Column } from "../../state/columns.ts";
import type { ViewState } from "../../state/view.ts";
import { Cell } from "./Cell.tsx";
import { HeaderCell } from "./HeaderCell.tsx";
import { RowDialog } from "./RowDialog.tsx";
import { useVisibleColumns, widthOf } from "./useVisibleColumns.ts";

const features = tableFeatures({ rowSortingFeature });

interface Props {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** Number of the first row, from 1. */
  readonly firstRow: number;
  readonly sort: ViewState["sort"];
  /** Key of the page, the order and the filters that the rows belong to. */
  readonly page: string;
  /** Whether other rows are loading. */
  readonly stale: boolean;
  readonly changeSort: (sort: ViewState["sort"]) => void;
  /** Opens the form for a filter on a column. */
  readonly filterBy: (column: string) => void;
}

/**
 * The table of rows. The API sorts and pages them. Columns outside the visible part are not rendered, because a relation can have hundreds.
 */
export function DataTable({ columns, rows, firstRow, sort, page, stale, changeSort, filterBy }: Props): VNode {
  const { t, number } = useText();
  const frame = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<number | null>(null);
  // After Back, the number would open a row of another page.
  useLayoutEffect(() => setOpened(null), [rows]);
  useLayoutEffect(() => {
    if (frame.current) frame.current.scrollTop = 0;
  }, [page]);
  const definitions = useMemo(
    () => columns.map((column) => ({ id: column.name, accessorFn: (row: Row) => row[column.name], meta: column })),
    [columns],
  );
  const table = useTable({
    features,
    columns: definitions,
    data: rows,
    manualSorting: true,
    state: { sorting: sort ? [{ id: sort.column, desc: sort.descending }] : [] },
  });
  const { shown, before, after } = useVisibleColumns(frame, columns);
  const openedRow = opened === null ? undefined : rows[opened];
  return (
    <>
      <div class="frame-table" role="region" aria-label={t("tableLabel")} tabIndex={0} ref={frame} aria-busy={stale}>
        <table aria-rowcount={-1} aria-colcount={columns.length + 1} class={stale ? "stale" : undefined}>
          <thead>
            {table.getHeaderGroups().map((group) => (
              <tr key={group.id}>
                <th scope="col" class="row-number" aria-colindex={1}>
                  {t("details")}
                </th>
                <Gap width={before} />
                {shown.flatMap((columnIndex) => {
                  const column = columns[columnIndex];
                  if (column === undefined) return [];
                  const direction = group.headers[columnIndex]?.column.getIsSorted() ?? false;
                  return [
                    <HeaderCell
                      key={column.name}
                      column={column}
                      position={columnIndex + 2}
                      width={widthOf(column)}
                      direction={direction}
                      filter={() => filterBy(column.name)}
                      toggle={() => changeSort(next(column.name, direction))}
                    />,
                  ];
                })}
                <Gap width={after} />
              </tr>
            ))}
          </thead>
          <tbody>
            {table.getRowModel().rows.map((row, index) => (
              <tr key={row.id}>
                <th scope="row" class="row-number" aria-colindex={1}>
                  <button
                    type="button"
                    class="link"
                    aria-label={t("rowDetails", { number: firstRow + index })}
                    onClick={() => setOpened(index)}
                  >
                    {number(firstRow + index)}
                  </button>
                </th>
                <Gap width={before} />
                {shown.flatMap((columnIndex) => {
                  const column = columns[columnIndex];
                  return column
                    ? [
                        <Cell
                          key={column.name}
                          column={column}
                          position={columnIndex + 2}
                          value={row.original[column.name]}
                        />,
                      ]
                    : [];
                })}
                <Gap width={after} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {openedRow && opened !== null && (
        <RowDialog columns={columns} row={openedRow} number={firstRow + opened} close={() => setOpened(null)} />
      )}
    </>
  );
}

/** Returns the next order of a column: ascending, descending, none. */
function next(column: string, direction: "asc" | "desc" | false): ViewState["sort"] {
  if (direction === "desc") return null;
  return { column, descending: direction === "asc" };
}

/** An empty cell in place of the columns that are not rendered. */
function Gap({ width }: { width: number }): VNode | null {
  return width > 0 ? <td role="presentation" class="gap" style={{ minWidth: `${width}px` }} /> : null;
}
