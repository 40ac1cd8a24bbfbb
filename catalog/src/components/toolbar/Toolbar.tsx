import type { VNode } from "preact";
import type { EndpointDetails } from "../../api/meta.ts";
import { useText } from "../../i18n/text.tsx";
import type { Column } from "../../state/columns.ts";
import type { ViewState } from "../../state/view.ts";
import { CiteButton } from "../export/Citation.tsx";
import { Download } from "../export/Download.tsx";
import { ColumnChooser } from "./ColumnChooser.tsx";
import { Filters } from "./Filters.tsx";

interface Props {
  readonly endpoint: EndpointDetails;
  readonly view: ViewState;
  readonly columns: readonly Column[];
  /** The columns of the table. */
  readonly shown: readonly Column[];
  /** The column of the filter in the open form, empty if the user did not start at a column; null = the form is closed. */
  readonly formColumn: string | null;
  /** Number of times that a column opened the form: each time, the form is a new one, also for the same column. */
  readonly formsOpened: number;
  /** Opens the form for a column, or closes it (null). */
  readonly openForm: (column: string | null) => void;
  readonly go: (change: Partial<ViewState>) => void;
  readonly changeChart: (chart: ViewState["chart"]) => void;
  /** Whether the chart or map is shown; null if the rows have none. */
  readonly drawn: boolean | null;
  /** When the API returned the rows; undefined = they are not loaded. */
  readonly read: Date | undefined;
}

/** The tools above the rows: filters, columns, download, citation, and the switch of the chart or map. */
export function Toolbar({
  endpoint,
  view,
  columns,
  shown,
  formColumn,
  formsOpened,
  openForm,
  go,
  changeChart,
  drawn,
  read,
}: Props): VNode {
  const { t } = useText();
  const onMap = view.chart !== null && view.chart !== "none" && "map" in view.chart;
  return (
    <div class="tools">
      <Filters
        key={formsOpened}
        columns={columns}
        filters={view.filters}
        change={(filters) => go({ filters })}
        formColumn={formColumn}
        openForm={openForm}
      />
      <ColumnChooser columns={columns} shown={shown} change={(names) => go({ columns: names, page: view.page })} />
      {/* The key removes the result of a download of other columns, filters or another order. */}
      <Download
        key={JSON.stringify([view.columns, view.filters, view.sort])}
        endpoint={endpoint}
        view={view}
        columns={shown}
      />
      <CiteButton endpoint={endpoint} view={view} read={read} />
      {drawn !== null && (
        <button type="button" class="tool" onClick={() => changeChart(drawn ? "none" : null)}>
          {t(drawn ? (onMap ? "mapHide" : "chartHide") : "chartShow")}
        </button>
      )}
    </div>
  );
}
