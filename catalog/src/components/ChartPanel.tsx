import type { VNode } from "preact";
import type { Choices } from "../chart/choices.ts";
import type { EndpointDetails } from "../api/meta.ts";
import type { Counted } from "../api/rows.ts";
import { useText } from "../i18n/text.tsx";
import type { Column } from "../state/columns.ts";
import type { ChartState, ViewState } from "../state/view.ts";
import { ChartOfRows } from "./ChartOfRows.tsx";
import { visible } from "../text/visible.ts";

interface Props {
  readonly endpoint: EndpointDetails;
  readonly view: ViewState;
  readonly answer: Counted;
  readonly choices: Choices;
  readonly change: (chart: ViewState["chart"]) => void;
}

/** The chart next to the rows. Without a valid choice in the address, it is the one that the columns suggest. */
export function ChartPanel({ endpoint, view, answer, choices, change }: Props): VNode {
  const { t } = useText();
  const has = (columns: readonly Column[], name: string): boolean => columns.some((column) => column.name === name);
  const { chart } = view;
  const valid = chart !== null && chart !== "none" && has(choices.x, chart.x) && has(choices.y, chart.y);
  const shown: ChartState = valid ? chart : choices.first;
  return (
    <section aria-labelledby="chart">
      <h2 id="chart" class="unseen">
        {t("chartHeading")}
      </h2>
      <ChartOfRows endpoint={endpoint} view={view} answer={answer} chart={shown} />
      <div class="condition">
        <Choice label={t("chartY")} columns={choices.y} value={shown.y} set={(y) => change({ ...shown, y })} />
        <Choice label={t("chartX")} columns={choices.x} value={shown.x} set={(x) => change({ ...shown, x })} />
        <Choice
          label={t("chartSeries")}
          columns={choices.series}
          none={t("chartNone")}
          value={shown.series}
          set={(series) => change({ ...shown, series })}
        />
      </div>
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
