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
  /** The column that a condition is begun on; null when none is. */
  readonly begun: string | null;
  readonly begin: (column: string | null) => void;
}

/** The conditions on the rows, and a form for another. */
export function Filters({ columns, filters, change, begun, begin }: Props): VNode {
  const { t } = useText();
  const [round, setRound] = useState(0);
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    // The form of the condition that was added is gone, and the focus with it.
    const form = round > 0 ? details.current?.querySelector("form") : undefined;
    (form?.querySelector<HTMLElement>("input") ?? form?.querySelector<HTMLElement>("select"))?.focus();
  }, [round]);
  const named = ({ column, operator, value }: Filter): string =>
    [column, t(operatorKey(operator)), takesValue(operator) ? `“${value}”` : ""].join(" ").trim();
  const opened = (open: boolean): void => {
    if (open !== (begun !== null)) begin(open ? "" : null);
  };
  return (
    <div class="wide">
      <details
        class="filter"
        ref={details}
        open={begun !== null}
        onToggle={({ currentTarget: { open } }) => opened(open)}
      >
        <summary>{filters.length > 0 ? t("filtersCount", { count: filters.length }) : t("addFilter")}</summary>
        <FilterForm
          key={`${round} ${begun ?? ""}`}
          columns={columns}
          first={begun}
          add={(filter) => {
            change([...filters, filter]);
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
