import { useQuery } from "@tanstack/preact-query";
import { lazy, Suspense } from "preact/compat";
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { drawingOf, MAX_SERIES } from "../chart/series.ts";
import { fetchRows } from "../api/client.ts";
import type { EndpointDetails } from "../api/meta.ts";
import { filterParams, quotedName, viewRequest } from "../api/request.ts";
import type { Row } from "../api/rows.ts";
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
  readonly chart: ChartState;
}

/** The chart of all rows that match the filters, not only of those on the page, as far as one answer holds them. */
export function ChartOfRows({ endpoint, view, chart }: Props): VNode {
  const { t } = useText();
  const { x, y, series } = chart;
  const { relation, profile } = viewRequest(endpoint, view);
  const select = [...new Set([x, y, ...(series ? [series] : [])])].map(quotedName).join(",");
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
  });
  const drawing = useMemo(() => drawingOf(data?.rows ?? [], { x, y, series }), [data, x, y, series]);
  if (error) return <Problem error={error} retry={refetch} />;
  if (!data) return <Pending />;
  if (drawing.labels.length === 0) return <p role="status">{t("chartEmpty")}</p>;
  const overTime = endpoint.columns?.some((column) => column.name === x && isTime(column)) ?? false;
  const kind = overTime && drawing.labels.length > 1 ? "line" : "bar";
  return (
    <>
      <Suspense fallback={<Pending />}>
        <Chart drawing={drawing} kind={kind} label={t("chartLabel", { x: visible(x), y: visible(y) })} />
      </Suspense>
      <p>
        {t(data.rows.length < Math.min(MAX_POINTS, data.maxRows ?? MAX_POINTS) ? "chartAll" : "chartCut", {
          count: data.rows.length,
        })}{" "}
        {drawing.all > MAX_SERIES && t("chartMany", { count: drawing.all, shown: MAX_SERIES })}{" "}
        {drawing.repeated && t("chartRepeated")}
      </p>
    </>
  );
}
