import type { VNode } from "preact";
import { choicesOf } from "../chart/choices.ts";
import type { EndpointDetails } from "../api/meta.ts";
import { useText } from "../i18n/text.tsx";
import type { Column } from "../state/columns.ts";
import type { ChartState, ViewState } from "../state/view.ts";
import { ChartOfRows } from "./ChartOfRows.tsx";
import { visible } from "../text/visible.ts";

interface Props {
  readonly endpoint: EndpointDetails;
  readonly view: ViewState;
  readonly change: (chart: ChartState | null) => void;
}

/** A chart, where the columns allow one. */
export function ChartPanel({ endpoint, view, change }: Props): VNode | null {
  const { t } = useText();
  const choices = choicesOf(endpoint.columns ?? []);
  if (choices === null) return null;
  const chart = view.chart;
  const has = (columns: readonly Column[], name: string): boolean => columns.some((column) => column.name === name);
  const known = chart && has(choices.x, chart.x) && has(choices.y, chart.y) ? chart : null;
  return (
    <section aria-labelledby="chart">
      <h2 id="chart">{t("chartHeading")}</h2>
      <button
        type="button"
        class="outline"
        aria-expanded={known !== null}
        onClick={() => change(known ? null : choices.first)}
      >
        {t(known ? "chartHide" : "chartShow")}
      </button>
      {known && (
        <>
          <div class="condition">
            <Choice label={t("chartX")} columns={choices.x} value={known.x} set={(x) => change({ ...known, x })} />
            <Choice label={t("chartY")} columns={choices.y} value={known.y} set={(y) => change({ ...known, y })} />
            <Choice
              label={t("chartSeries")}
              columns={choices.series}
              none={t("chartNone")}
              value={known.series}
              set={(series) => change({ ...known, series })}
            />
          </div>
          <ChartOfRows endpoint={endpoint} view={view} chart={known} />
        </>
      )}
    </section>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly value: string;
  readonly set: (name: string) => void;
  readonly none?: string;
}

function Choice({ label, columns, value, set, none }: ChoiceProps): VNode {
  return (
    <label>
      {label}
      <select value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
        {none !== undefined && <option value="">{none}</option>}
        {columns.map(({ name }) => (
          <option key={name} value={name}>
            {visible(name)}
          </option>
        ))}
      </select>
    </label>
  );
}
