import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
// The router\'s own decodes it twice.
import { useSearch } from "wouter-preact/use-browser-location";
import type { EndpointDetails } from "../api/meta.ts";
import { viewRequest } from "../api/request.ts";
import { isComplete, useRows } from "../api/rows.ts";
import { choicesOf } from "../chart/choices.ts";
import { useText } from "../i18n/text.tsx";
import type { Column } from "../state/columns.ts";
import { tablePath } from "../state/paths.ts";
import { readView, type ViewState } from "../state/view.ts";
import { shortened } from "../text/visible.ts";
import { ChartPanel } from "./ChartPanel.tsx";
import { Citation, CiteButton } from "./Citation.tsx";
import { ColumnChooser } from "./ColumnChooser.tsx";
import { ColumnsReference } from "./ColumnsReference.tsx";
import { DataTable } from "./DataTable.tsx";
import { Datum } from "./Datum.tsx";
import { Deprecated } from "./Deprecated.tsx";
import { Download } from "./Download.tsx";
import { Filters } from "./Filters.tsx";
import { Paging } from "./Paging.tsx";
import { Pending } from "./Pending.tsx";
import { Problem } from "./Problem.tsx";
import { RequestBox } from "./RequestBox.tsx";
import { Stability } from "./Stability.tsx";
import { Terms } from "./Terms.tsx";
import { Title } from "./Title.tsx";
import { Totals } from "./Totals.tsx";

const NONE: readonly Column[] = [];
/** Characters of the description above the rows; the details have all. */
const LEAD = 160;

interface Props {
  readonly endpoint: EndpointDetails;
  /** Maximum number of rows in one response. */
  readonly maxRows: number;
}

/** One relation: the rows that the query string selects, and its metadata. */
export function EndpointView({ endpoint, maxRows }: Props): VNode {
  const { t } = useText();
  const [, navigate] = useLocation();
  const search = useSearch();
  const chosen = useMemo(() => readView(new URLSearchParams(search)), [search]);
  // The address keeps the size that was chosen: another stack or a later limit may allow it.
  const view = useMemo(() => ({ ...chosen, size: Math.min(chosen.size, maxRows) }), [chosen, maxRows]);
  const { data, error, refetch, isFetching, isPlaceholderData } = useRows(endpoint, view);
  const [begun, setBegun] = useState<string | null>(null);
  const columns = endpoint.columns ?? NONE;
  const shown = useMemo(() => shownColumns(columns, view.columns), [columns, view.columns]);
  const { schema, relation, stability } = endpoint;
  const description = endpoint.description ?? "";
  const lead = shortened(description, LEAD);
  // Another selection or order begins at its first page.
  const go = (change: Partial<ViewState>): void =>
    navigate(tablePath(schema, relation, { ...chosen, page: 1, ...change }));
  const changeChart = (chart: ViewState["chart"]): void => go({ chart, page: view.page });
  const choices = useMemo(() => choicesOf(columns, data && isComplete(data) ? data.rows : []), [columns, data]);
  const drawn = choices !== null && view.chart !== "none";
  const onMap = view.chart !== null && view.chart !== "none" && "map" in view.chart;
  return (
    <>
      <nav aria-label={t("toList")} class="crumbs">
        <Link href="/data">{t("toList")}</Link> /{" "}
        <Link href={`/data?tag=layer:${encodeURIComponent(schema)}`}>{schema}</Link>
      </nav>
      <Title name={endpoint.title ?? relation}>
        <Stability stability={stability} />
      </Title>
      <p class="lead">
        <code>
          <Datum>{`${schema}.${relation}`}</Datum>
        </code>{" "}
        <Datum>{lead.text}</Datum>
        {lead.cut && " …"}
      </p>
      <Deprecated deprecation={data?.deprecation} />
      <Terms endpoint={endpoint} answer={data}>
        <p>{t(stability === "stable" ? "stableHelp" : "openHelp")}</p>
        {lead.cut && (
          <p>
            <Datum>{description}</Datum>
          </p>
        )}
      </Terms>
      <section aria-labelledby="rows">
        <h2 id="rows" class="visually-hidden">
          {t("rowsHeading")}
        </h2>
        <div class="tools">
          <Filters
            columns={columns}
            filters={view.filters}
            change={(filters) => go({ filters })}
            begun={begun}
            begin={setBegun}
          />
          <ColumnChooser columns={columns} shown={shown} change={(names) => go({ columns: names, page: view.page })} />
          <Download endpoint={endpoint} view={view} columns={shown} />
          <CiteButton endpoint={endpoint} view={view} />
          {choices && (
            <button type="button" class="tool" onClick={() => changeChart(drawn ? "none" : null)}>
              {t(drawn ? (onMap ? "mapHide" : "chartHide") : "chartShow")}
            </button>
          )}
        </div>
        {error !== null && <Problem error={error} retry={refetch} />}
        {isFetching && (!data || isPlaceholderData) && <Pending key={search} />}
        {data && error === null && (
          <>
            <Totals answer={data} stale={isPlaceholderData} />
            <div class={drawn ? "table-and-chart" : undefined}>
              <div>
                <DataTable
                  columns={shown}
                  rows={data.rows}
                  firstRow={(data.view.page - 1) * data.view.size + 1}
                  sort={view.sort}
                  stale={isPlaceholderData}
                  changeSort={(sort) => go({ sort })}
                  filterBy={setBegun}
                />
                <Paging
                  total={data.total}
                  exact={data.exact}
                  rows={data.rows.length}
                  maxRows={maxRows}
                  view={view}
                  go={go}
                />
              </div>
              {choices && drawn && (
                <ChartPanel
                  endpoint={endpoint}
                  view={{ ...view, filters: data.view.filters }}
                  answer={data}
                  choices={choices}
                  change={changeChart}
                />
              )}
            </div>
          </>
        )}
      </section>
      <RequestBox request={data && !isPlaceholderData ? data.request : viewRequest(endpoint, view)} />
      <ColumnsReference endpoint={endpoint} filters={view.filters} />
      <Citation endpoint={endpoint} view={view} />
    </>
  );
}

function shownColumns(columns: readonly Column[], names: readonly string[]): readonly Column[] {
  const chosen = names.flatMap((name) => columns.find((column) => column.name === name) ?? []);
  return chosen.length > 0 ? chosen : columns;
}
