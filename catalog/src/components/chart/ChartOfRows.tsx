import { lazy, Suspense } from "preact/compat";
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { quotedName } from "../../api/request.ts";
import { useText } from "../../i18n/text.tsx";
import { isTime } from "../../state/columns.ts";
import type { ChartState } from "../../state/view.ts";
import { visible } from "../../text/visible.ts";
import { Pending } from "../shared/Pending.tsx";
import { Problem } from "../shared/Problem.tsx";
import { drawingOf, MAX_SERIES } from "./series.ts";
import { type DrawnProps, useDrawnRows } from "./useDrawnRows.ts";

const Chart = lazy(() => import("./Chart.tsx"));

interface Props extends DrawnProps {
  readonly chart: ChartState;
}

/** Requests the rows that match the filters, and draws them as lines or bars. */
export function ChartOfRows({ chart, ...drawn }: Props): VNode {
  const { t } = useText();
  const { x, y, series } = chart;
  const column = drawn.endpoint.columns?.find(({ name }) => name === x);
  // If one response does not contain all rows, the latest are drawn.
  const byX = `${quotedName(x)}${column && isTime(column, drawn.response.rows) ? ".desc.nullslast" : ""}`;
  const order = [byX, ...(series ? [quotedName(series)] : [])].join(",");
  const { rows, complete, error, refetch } = useDrawnRows(drawn, [x, y, ...(series ? [series] : [])], order);
  const overTime = column !== undefined && isTime(column, rows);
  const drawing = useMemo(() => drawingOf(rows ?? [], { x, y, series }, overTime), [rows, x, y, series, overTime]);
  if (error) return <Problem error={error} retry={refetch} />;
  if (!rows) return <Pending />;
  if (drawing.series.length === 0) return <p role="status">{t("chartEmpty")}</p>;
  // Bars that share a point would cover each other.
  const kind = (overTime && drawing.labels.length > 1) || drawing.repeated ? "line" : "bar";
  return (
    <>
      <Suspense fallback={<Pending />}>
        <Chart drawing={drawing} kind={kind} label={t("chartLabel", { x: visible(x), y: visible(y) })} />
      </Suspense>
      <p class="basis">
        {t(complete ? "chartAll" : "chartCut", { count: rows.length })}{" "}
        {drawing.skipped > 0 && t("chartSkipped", { count: drawing.skipped })}{" "}
        {drawing.all > MAX_SERIES && t("chartMany", { count: drawing.all, shown: MAX_SERIES })}{" "}
        {drawing.repeated && t("chartRepeated")}
      </p>
    </>
  );
}
