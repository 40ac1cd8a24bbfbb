import { lazy, Suspense } from "preact/compat";
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { quotedName } from "../api/request.ts";
import { drawingOf, MAX_SERIES } from "../chart/series.ts";
import { useText } from "../i18n/text.tsx";
import { isTime } from "../state/columns.ts";
import type { ChartState } from "../state/view.ts";
import { visible } from "../text/visible.ts";
import { type DrawnProps, useDrawnRows } from "./useDrawnRows.ts";
import { Pending } from "./Pending.tsx";
import { Problem } from "./Problem.tsx";

const Chart = lazy(() => import("../chart/Chart.tsx"));

interface Props extends DrawnProps {
  readonly chart: ChartState;
}

/** The chart of the rows that match the filters. */
export function ChartOfRows({ chart, ...drawn }: Props): VNode {
  const { t } = useText();
  const { x, y, series } = chart;
  const { rows, complete, error, refetch } = useDrawnRows(drawn, [x, y, ...(series ? [series] : [])], quotedName(x));
  const drawing = useMemo(() => drawingOf(rows ?? [], { x, y, series }), [rows, x, y, series]);
  if (error) return <Problem error={error} retry={refetch} />;
  if (!rows) return <Pending />;
  if (drawing.labels.length === 0) return <p role="status">{t("chartEmpty")}</p>;
  const overTime = drawn.endpoint.columns?.some((column) => column.name === x && isTime(column)) ?? false;
  const kind = overTime && drawing.labels.length > 1 ? "line" : "bar";
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
