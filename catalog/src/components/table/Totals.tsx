import type { VNode } from "preact";
import type { Counted } from "../../api/rows.ts";
import { useText } from "../../i18n/text.tsx";
import { KEEPS_NUMBERS } from "../../text/json.ts";

interface Props {
  readonly response: Counted;
  /** Whether other rows are loading. */
  readonly stale: boolean;
}

/** Shows which rows of how many the table contains, whether the number is counted or estimated, and whether rows are left out. */
export function Totals({ response, stale }: Props): VNode {
  const { t } = useText();
  const { rows, exact, maxRows } = response;
  const { page, size, filters } = response.view;
  const from = (page - 1) * size + 1;
  const to = from + rows.length - 1;
  // An estimate can be lower than the number of rows in the table.
  const total = Math.max(response.total ?? 0, rows.length > 0 ? to : 0);
  if (rows.length === 0)
    return <p role="status">{t(page > 1 ? "rangePast" : filters.length > 0 ? "rangeNone" : "rangeEmpty", { page })}</p>;
  const range = response.total === null ? "rangeUncounted" : exact ? "rangeExact" : "rangeAbout";
  const complete = page === 1 && rows.length < Math.min(size, maxRows);
  return (
    <p role="status" class="totals">
      <strong>{t(range, { from, to, total })}</strong>{" "}
      {!stale && (
        <span>
          {complete || (exact && total === rows.length)
            ? t("complete")
            : t("truncated", { shown: rows.length, max: maxRows })}
        </span>
      )}
      {!KEEPS_NUMBERS && ` ${t("inexact")}`}
    </p>
  );
}
