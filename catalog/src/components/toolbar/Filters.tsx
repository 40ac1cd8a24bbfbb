import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useText } from "../../i18n/text.tsx";
import type { Column } from "../../state/columns.ts";
import { takesValue } from "../../state/operators.ts";
import type { Filter } from "../../state/view.ts";
import { Chips } from "../shared/Chips.tsx";
import { FilterForm, operatorKey } from "./FilterForm.tsx";

interface Props {
  readonly columns: readonly Column[];
  readonly filters: readonly Filter[];
  readonly change: (filters: readonly Filter[]) => void;
  /** The column of the filter in the open form, empty if the user did not start at a column; null = the form is closed. */
  readonly formColumn: string | null;
  /** Opens the form for a column, or closes it (null). */
  readonly openForm: (column: string | null) => void;
}

/** The active filters of the table, and a form that adds one. */
export function Filters({ columns, filters, change, formColumn, openForm }: Props): VNode {
  const { t } = useText();
  const [round, setRound] = useState(0);
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    // A new form replaces the one that had the focus.
    const form = round > 0 ? details.current?.querySelector("form") : undefined;
    (form?.querySelector<HTMLElement>("input") ?? form?.querySelector<HTMLElement>("select"))?.focus();
  }, [round]);
  const named = ({ column, operator, value }: Filter): string =>
    [column, t(operatorKey(operator)), takesValue(operator) ? t("quoted", { value }) : ""].join(" ").trim();
  const opened = (open: boolean): void => {
    if (open !== (formColumn !== null)) openForm(open ? "" : null);
  };
  return (
    <div class="wide">
      <details
        class="filter"
        ref={details}
        open={formColumn !== null}
        onToggle={({ currentTarget: { open } }) => opened(open)}
      >
        <summary>{filters.length > 0 ? t("filtersCount", { count: filters.length }) : t("addFilter")}</summary>
        <FilterForm
          key={`${round} ${formColumn ?? ""}`}
          columns={columns}
          first={formColumn}
          add={(added) => {
            change([...filters, ...added]);
            setRound(round + 1);
          }}
        />
      </details>
      <Chips
        chips={filters.map((filter) => ({
          name: named(filter),
          remove: () => change(filters.filter((other) => other !== filter)),
        }))}
        clear={() => change([])}
        rest={() => details.current?.querySelector("summary")}
      />
    </div>
  );
}
