import { lazy, Suspense } from "preact/compat";
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { useText } from "../../i18n/text.tsx";
import type { ChartState, ViewState } from "../../state/view.ts";
import { areaKeys } from "../map/keys.ts";
import { Choices } from "../shared/Choices.tsx";
import { ColumnChoice } from "../shared/ColumnChoice.tsx";
import { ErrorBoundary } from "../shared/ErrorBoundary.tsx";
import { Pending } from "../shared/Pending.tsx";
import { ChartOfRows } from "./ChartOfRows.tsx";
import type { Choices as ChartChoices } from "./choices.ts";
import type { DrawnProps } from "./useDrawnRows.ts";

const MapOfRows = lazy(() => import("../map/MapOfRows.tsx"));

interface Props extends DrawnProps {
  readonly choices: ChartChoices;
  /** Changes the chart or map in the address; null = the suggested chart. */
  readonly change: (chart: ViewState["chart"]) => void;
}

/**
 * The chart or map next to the table, and its selection of columns. Without a valid selection in the address, it is the chart that the
 * columns suggest.
 */
export function ChartPanel({ choices, change, ...drawn }: Props): VNode {
  const { t } = useText();
  const { chart } = drawn.view;
  const { first } = choices;
  const keys = useMemo(
    () => areaKeys(drawn.endpoint.columns ?? [], drawn.response.rows),
    [drawn.endpoint.columns, drawn.response.rows],
  );
  const has = (names: readonly { readonly name: string }[], name: string): boolean =>
    names.some((each) => each.name === name);
  const given = chart !== null && chart !== "none" && has(choices.y, chart.y) ? chart : first;
  const map = "map" in given ? keys.find(({ name }) => name === given.map) : undefined;
  const plain =
    "x" in given && has(choices.x, given.x)
      ? { ...given, series: has(choices.series, given.series) ? given.series : "" }
      : { ...first, y: given.y };
  const kind = map ? "mapHeading" : "chartHeading";
  return (
    <section aria-labelledby="chart">
      <h2 id="chart" class="visually-hidden">
        {t(kind)}
      </h2>
      {keys[0] && (
        <Choices
          label="chart"
          names={["chartHeading", "mapHeading"] as const}
          chosen={kind}
          choose={(name) =>
            change(name === "mapHeading" ? { map: keys[0]!.name, y: given.y } : chartBy(first, given.y))
          }
          textOf={t}
        />
      )}
      <ErrorBoundary key={kind}>
        {map ? (
          <Suspense fallback={<Pending />}>
            <MapOfRows {...drawn} areaKey={map} y={given.y} />
          </Suspense>
        ) : (
          <ChartOfRows {...drawn} chart={plain} />
        )}
      </ErrorBoundary>
      <div class="condition">
        <ColumnChoice
          label={t("chartY")}
          columns={choices.y}
          value={given.y}
          set={(y) => change(map ? { map: map.name, y } : { ...plain, y })}
        />
        {map ? (
          keys.length > 1 && (
            <ColumnChoice
              label={t("mapKey")}
              columns={keys}
              value={map.name}
              set={(name) => change({ map: name, y: given.y })}
            />
          )
        ) : (
          <>
            <ColumnChoice
              label={t("chartX")}
              columns={choices.x}
              value={plain.x}
              set={(x) => change({ ...plain, x })}
            />
            <ColumnChoice
              label={t("chartSeries")}
              columns={choices.series}
              none={t("chartNone")}
              value={plain.series}
              set={(series) => change({ ...plain, series })}
            />
          </>
        )}
      </div>
    </section>
  );
}

/** Returns the suggested chart of a measure; null for the first measure, which the address does not need to contain. */
function chartBy(first: ChartState, y: string): ChartState | null {
  return y === first.y ? null : { ...first, y };
}
