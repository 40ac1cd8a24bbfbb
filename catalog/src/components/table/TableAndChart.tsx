import type { VNode } from "preact";
import type { EndpointDetails } from "../../api/meta.ts";
import type { Counted } from "../../api/rows.ts";
import type { Column } from "../../state/columns.ts";
import type { ViewState } from "../../state/view.ts";
import { ChartPanel } from "../chart/ChartPanel.tsx";
import type { Choices } from "../chart/choices.ts";
import { DataTable } from "./DataTable.tsx";
import { Paging } from "./Paging.tsx";

interface Props {
  readonly endpoint: EndpointDetails;
  readonly view: ViewState;
  readonly response: Counted;
  /** The rows with the columns that the table hides, for the chart or map; undefined = not loaded. */
  readonly drawnResponse: Counted | undefined;
  /** The columns of the table. */
  readonly shown: readonly Column[];
  /** Maximum number of rows in one response. */
  readonly maxRows: number;
  /** Whether the rows are those of the previous selection. */
  readonly stale: boolean;
  /** Choices of the chart or map next to the table; null = not shown. */
  readonly choices: Choices | null;
  readonly go: (change: Partial<ViewState>) => void;
  readonly changeChart: (chart: ViewState["chart"]) => void;
  /** Opens the form for a filter on a column. */
  readonly filterBy: (column: string) => void;
}

/** One page of rows with links to the others, and the chart or map next to it. */
export function TableAndChart(props: Props): VNode {
  const { endpoint, view, response, drawnResponse, shown, maxRows, stale, choices, go } = props;
  return (
    <div class={choices ? "table-and-chart" : undefined}>
      <div>
        <DataTable
          columns={shown}
          rows={response.rows}
          firstRow={(response.view.page - 1) * response.view.size + 1}
          sort={view.sort}
          page={JSON.stringify(response.request.params.filter(([name]) => name !== "select"))}
          stale={stale}
          changeSort={(sort) => go({ sort })}
          filterBy={props.filterBy}
        />
        <Paging
          total={response.total}
          exact={response.exact}
          rows={response.rows.length}
          maxRows={maxRows}
          view={view}
          go={go}
        />
      </div>
      {choices && drawnResponse && (
        <ChartPanel
          endpoint={endpoint}
          view={{ ...view, filters: drawnResponse.view.filters }}
          response={drawnResponse}
          choices={choices}
          change={props.changeChart}
        />
      )}
    </div>
  );
}
