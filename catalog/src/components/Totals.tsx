import type { VNode } from "preact";
import type { Counted } from "../api/rows.ts";
import { useText } from "../i18n/text.tsx";
import type { ViewState } from "../state/view.ts";

/** Which rows are shown, of how many, whether that was counted, and what is not shown. */
export function Totals({ answer, view }: { answer: Counted; view: ViewState }): VNode {
  const { t } = useText();
  const { rows, exact } = answer;
  const from = (view.page - 1) * view.size + 1;
  const to = from + rows.length - 1;
  // An estimate may be lower than what is there to see.
  const total = Math.max(answer.total ?? 0, rows.length > 0 ? to : 0);
  if (rows.length === 0)
    return <p role="status">{view.page > 1 ? t("rangePast", { page: view.page }) : t("rangeNone")}</p>;
  const complete = view.page === 1 && rows.length < view.size;
  return (
    <p role="status" class="totals">
      <strong>{t(exact ? "rangeExact" : "rangeAbout", { from, to, total })}</strong>{" "}
      <span>
        {complete || (exact && total === rows.length)
          ? t("complete")
          : t("truncated", { shown: rows.length, max: answer.maxRows })}
      </span>
    </p>
  );
}
