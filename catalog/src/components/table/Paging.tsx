import type { VNode } from "preact";
import { useText } from "../../i18n/text.tsx";
import { pageSizes, type ViewState } from "../../state/view.ts";

interface Props {
  /** Number of all rows that match; null = unknown. */
  readonly total: number | null;
  /** Whether the total is counted rather than estimated. */
  readonly exact: boolean;
  /** Rows on this page. */
  readonly rows: number;
  /** Maximum number of rows in one response. */
  readonly maxRows: number;
  readonly view: ViewState;
  readonly go: (change: Partial<ViewState>) => void;
}

/** Buttons for other pages, and the page size. Only an exact number of rows allows a button for the last page. */
export function Paging({ total, exact, rows, maxRows, view: { page, size }, go }: Props): VNode {
  const { t } = useText();
  const pages = exact && total !== null ? Math.max(1, Math.ceil(total / size)) : undefined;
  const more = pages === undefined ? rows === size : page < pages;
  const sizes = pageSizes(maxRows);
  const button = (key: "first" | "previous" | "next" | "last", to: number, enabled: boolean): VNode => (
    <button type="button" class="outline" disabled={!enabled} onClick={() => go({ page: to })}>
      {t(key)}
    </button>
  );
  return (
    <nav class="paging" aria-label={t("page")}>
      {button("first", 1, page > 1)}
      {button("previous", Math.min(page - 1, pages ?? Infinity), page > 1)}
      <span>{pages === undefined ? `${t("page")} ${page}` : t("pageOf", { page, pages })}</span>
      {button("next", page + 1, more)}
      {pages !== undefined && button("last", pages, page !== pages)}
      <label>
        {t("perPage")}
        <select
          value={sizes.find((choice) => choice >= size)}
          onChange={({ currentTarget }) => go({ size: Number(currentTarget.value) })}
        >
          {sizes.map((choice) => (
            <option key={choice} value={choice}>
              {Math.min(choice, maxRows)}
            </option>
          ))}
        </select>
      </label>
    </nav>
  );
}
