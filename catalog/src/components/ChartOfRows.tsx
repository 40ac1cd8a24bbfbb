import { useQuery } from "@tanstack/preact-query";
import { lazy, Suspense } from "preact/compat";
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { drawingOf, MAX_SERIES } from "../chart/series.ts";
import { fetchRows } from "../api/client.ts";
import type { EndpointDetails } from "../api/meta.ts";
import { filterParams, quotedName, viewRequest } from "../api/request.ts";
import { type Counted, isComplete, type Row } from "../api/rows.ts";
import { useText } from "../i18n/text.tsx";
import { isTime } from "../state/columns.ts";
import type { ChartState, ViewState } from "../state/view.ts";
import { visible } from "../text/visible.ts";
import { Pending } from "./Pending.tsx";
import { Problem } from "./Problem.tsx";

const Chart = lazy(() => import("../chart/Chart.tsx"));

const MAX_POINTS = 1000;

interface Props {
  readonly endpoint: EndpointDetails;
  readonly view: ViewState;
  /** The rows of the table. */
  readonly answer: Counted;
  readonly chart: ChartState;
}

/**
 * The chart of all rows that match the filters, as far as one response contains them. Rows that the table has already are not requested
 * again.
 */
export function ChartOfRows({ endpoint, view, answer, chart }: Props): VNode {
  const { t } = useText();
  const { x, y, series } = chart;
  const { relation, profile } = viewRequest(endpoint, view);
  const names = [...new Set([x, y, ...(series ? [series] : [])])];
  const select = names.map(quotedName).join(",");
  const inTable = isComplete(answer) && names.every((name) => answer.rows.every((row) => name in row));
  const params = [
    ["select", select],
    ...filterParams(view.filters),
    ["order", quotedName(x)],
    ["limit", String(MAX_POINTS)],
  ] as const;
  const request = { relation, profile, params };
  const { data, error, refetch } = useQuery({
    queryKey: ["chart", request],
    queryFn: ({ signal }) => fetchRows<Row>(request, signal),
    enabled: !inTable,
  });
  const drawn = inTable ? answer : data;
  const drawing = useMemo(() => drawingOf(drawn?.rows ?? [], { x, y, series }), [drawn, x, y, series]);
  if (!inTable && error) return <Problem error={error} retry={refetch} />;
  if (!drawn) return <Pending />;
  if (drawing.labels.length === 0) return <p role="status">{t("chartEmpty")}</p>;
  const overTime = endpoint.columns?.some((column) => column.name === x && isTime(column)) ?? false;
  const kind = overTime && drawing.labels.length > 1 ? "line" : "bar";
  return (
    <>
      <Suspense fallback={<Pending />}>
        <Chart drawing={drawing} kind={kind} label={t("chartLabel", { x: visible(x), y: visible(y) })} />
      </Suspense>
      <p class="basis">
        {t(inTable || drawn.rows.length < Math.min(MAX_POINTS, drawn.maxRows ?? MAX_POINTS) ? "chartAll" : "chartCut", {
          count: drawn.rows.length,
        })}{" "}
        {drawing.skipped > 0 && t("chartSkipped", { count: drawing.skipped })}{" "}
        {drawing.all > MAX_SERIES && t("chartMany", { count: drawing.all, shown: MAX_SERIES })}{" "}
        {drawing.repeated && t("chartRepeated")}
      </p>
    </>
  );
}
