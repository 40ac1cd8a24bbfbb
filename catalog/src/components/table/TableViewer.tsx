import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
// `useSearch` of wouter-preact decodes the query string, and URLSearchParams would decode it again.
import { useSearch } from "wouter-preact/use-browser-location";
import type { EndpointDetails } from "../../api/meta.ts";
import { viewRequest } from "../../api/request.ts";
import { isComplete, useRows } from "../../api/rows.ts";
import { useText } from "../../i18n/text.tsx";
import { type Column, familyOf, isTime } from "../../state/columns.ts";
import { tablePath } from "../../state/paths.ts";
import { knownColumns, readView, type ViewState } from "../../state/view.ts";
import { shortened } from "../../text/visible.ts";
import { choicesOf } from "../chart/choices.ts";
import { ColumnsReference } from "../description/ColumnsReference.tsx";
import { Deprecated } from "../description/Deprecated.tsx";
import { Stability } from "../description/Stability.tsx";
import { Terms } from "../description/Terms.tsx";
import { Citation } from "../export/Citation.tsx";
import { RequestBox } from "../export/RequestBox.tsx";
import { Title } from "../layout/Title.tsx";
import { Datum } from "../shared/Datum.tsx";
import { Pending } from "../shared/Pending.tsx";
import { Problem } from "../shared/Problem.tsx";
import { Toolbar } from "../toolbar/Toolbar.tsx";
import { TableAndChart } from "./TableAndChart.tsx";
import { Totals } from "./Totals.tsx";

const NONE: readonly Column[] = [];
/** Number of characters of the description that are shown above the rows; the details show all of it. */
const LEAD = 160;

interface Props {
  readonly endpoint: EndpointDetails;
  /** Maximum number of rows in one response. */
  readonly maxRows: number;
}

/** The viewer of a relation: the rows that the query string selects, with their chart or map, and the metadata of the relation. */
export function TableViewer({ endpoint, maxRows }: Props): VNode {
  const { t } = useText();
  const [, navigate] = useLocation();
  const search = useSearch();
  const columns = endpoint.columns ?? NONE;
  const chosen = useMemo(() => knownColumns(readView(new URLSearchParams(search)), columns), [search, columns]);
  // The address keeps the chosen page size, because another stack or a later limit can allow it.
  const view = useMemo(() => ({ ...chosen, size: Math.min(chosen.size, maxRows) }), [chosen, maxRows]);
  const { data, error, refetch, isFetching, isPlaceholderData } = useRows(endpoint, view);
  const [formColumn, setFormColumn] = useState<string | null>(null);
  /** Number of times that a column opened the form: each time, the form is a new one, also for the same column. */
  const [formsOpened, setFormsOpened] = useState(0);
  const shown = useMemo(() => shownColumns(columns, view.columns), [columns, view.columns]);
  const { schema, relation, stability } = endpoint;
  const description = endpoint.description ?? "";
  const lead = shortened(description, LEAD);
  // The page number belongs to the previous selection or order.
  const go = (change: Partial<ViewState>): void =>
    navigate(tablePath(schema, relation, { ...chosen, page: 1, ...change }));
  const changeChart = (chart: ViewState["chart"]): void => go({ chart, page: view.page });
  const removeSort = (): void => {
    go({ sort: null });
    // The button has the focus, and is removed with the message.
    document.getElementById("main")?.focus({ preventScroll: true });
  };
  // The chart that the columns suggest does not depend on which the table shows.
  const hidden =
    view.columns.length > 0 &&
    data !== undefined &&
    // Values of a hidden column decide whether it is a time.
    (isComplete(data) || columns.some((each) => !shown.includes(each) && familyOf(each) !== "time" && isTime(each)));
  const others = useRows(endpoint, { ...view, columns: [], sort: null, page: 1 }, hidden);
  // After an error, the chart requests its columns itself.
  const response = hidden && others.error === null ? others.data : data;
  const choices = useMemo(
    () => choicesOf(columns, response && isComplete(response) ? response.rows : [], response?.rows),
    [columns, response],
  );
  const drawn = choices !== null && view.chart !== "none";
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
      <Terms endpoint={endpoint} response={data}>
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
        <Toolbar
          endpoint={endpoint}
          view={view}
          columns={columns}
          shown={shown}
          formColumn={formColumn}
          formsOpened={formsOpened}
          openForm={setFormColumn}
          go={go}
          changeChart={changeChart}
          drawn={choices ? drawn : null}
          read={data?.date}
        />
        {error !== null && (
          <Problem error={error} retry={refetch}>
            {view.sort && (
              <button type="button" class="outline" onClick={removeSort}>
                {t("removeSort")}
              </button>
            )}
          </Problem>
        )}
        {isFetching && (!data || isPlaceholderData) && <Pending key={search} />}
        {data && error === null && (
          <>
            <Totals response={data} stale={isPlaceholderData} />
            <TableAndChart
              endpoint={endpoint}
              view={view}
              response={data}
              drawnResponse={response}
              shown={shown}
              maxRows={maxRows}
              stale={isPlaceholderData}
              choices={drawn ? choices : null}
              go={go}
              changeChart={changeChart}
              filterBy={(column) => {
                setFormColumn(column);
                setFormsOpened(formsOpened + 1);
              }}
            />
          </>
        )}
      </section>
      <RequestBox request={data && !isPlaceholderData ? data.request : viewRequest(endpoint, view)} />
      <ColumnsReference endpoint={endpoint} filters={view.filters} />
      <Citation endpoint={endpoint} view={view} read={data?.date} />
    </>
  );
}

function shownColumns(columns: readonly Column[], names: readonly string[]): readonly Column[] {
  const chosen = names.flatMap((name) => columns.find((column) => column.name === name) ?? []);
  return chosen.length > 0 ? chosen : columns;
}
