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
  /** The column of the filter that the user begins; null for none. */
  readonly begun: string | null;
  /** Number of filters that were begun at a column: each begins a new form, also for the same column. */
  readonly begins: number;
  readonly begin: (column: string | null) => void;
  readonly go: (change: Partial<ViewState>) => void;
  readonly changeChart: (chart: ViewState["chart"]) => void;
  /** Whether the chart or map is shown; null if the rows have none. */
  readonly drawn: boolean | null;
}

/** The tools above the rows: filters, columns, download, citation, and the switch of the chart or map. */
export function Toolbar({
  endpoint,
  view,
  columns,
  shown,
  begun,
  begins,
  begin,
  go,
  changeChart,
  drawn,
}: Props): VNode {
  const { t } = useText();
  const onMap = view.chart !== null && view.chart !== "none" && "map" in view.chart;
  return (
    <div class="tools">
      <Filters
        key={begins}
        columns={columns}
        filters={view.filters}
        change={(filters) => go({ filters })}
        begun={begun}
        begin={begin}
      />
      <ColumnChooser columns={columns} shown={shown} change={(names) => go({ columns: names, page: view.page })} />
      {/* A file of other columns or filters is another file. */}
      <Download
        key={JSON.stringify([view.columns, view.filters, view.sort])}
        endpoint={endpoint}
        view={view}
        columns={shown}
      />
      <CiteButton endpoint={endpoint} view={view} />
      {drawn !== null && (
        <button type="button" class="tool" onClick={() => changeChart(drawn ? "none" : null)}>
          {t(drawn ? (onMap ? "mapHide" : "chartHide") : "chartShow")}
        </button>
      )}
    </div>
  );
}
