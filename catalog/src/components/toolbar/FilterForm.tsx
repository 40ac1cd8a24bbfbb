import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useText, type TextKey } from "../../i18n/text.tsx";
import { type Column, operatorsOf } from "../../state/columns.ts";
import { conditionsOf } from "../../state/conditions.ts";
import { isOperator, type Operator, takesValue } from "../../state/operators.ts";
import type { Filter } from "../../state/view.ts";
import { ColumnChoice } from "../shared/ColumnChoice.tsx";

const TEXTS: Record<Operator, TextKey> = {
  contains: "opContains",
  starts: "opStarts",
  has: "opHas",
  eq: "opEq",
  neq: "opNeq",
  gt: "opGt",
  gte: "opGte",
  lt: "opLt",
  lte: "opLte",
  empty: "opEmpty",
  filled: "opFilled",
};

/** Returns the key of an operator's text. */
export function operatorKey(operator: Operator): TextKey {
  return TEXTS[operator];
}

interface Props {
  readonly columns: readonly Column[];
  /** The column that is selected at first; empty or null for the first one. */
  readonly first: string | null;
  readonly add: (filters: readonly Filter[]) => void;
}

/** A form that adds filters: one, or two for a day of timestamps. If it was opened from the header of a column, its value gets the focus. */
export function FilterForm({ columns, first, add }: Props): VNode {
  const { t, language } = useText();
  const [name, setName] = useState(first || (columns[0]?.name ?? ""));
  const form = useRef<HTMLFormElement>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!first) return;
    form.current?.scrollIntoView({ block: "nearest" });
    input.current?.focus();
  }, [first]);
  const column = columns.find((candidate) => candidate.name === name);
  const operators = column ? operatorsOf(column) : [];
  const [wanted, setWanted] = useState<Operator>("eq");
  const [value, setValue] = useState("");
  const [chosen, setChosen] = useState(false);
  const operator = chosen && operators.includes(wanted) ? wanted : (operators[0] ?? "eq");
  const filters = column ? conditionsOf(column, operator, value, language) : [];
  useLayoutEffect(() => input.current?.setCustomValidity(filters ? "" : t("dateOrder")));
  return (
    <form
      class="condition"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        if (filters) add(filters);
      }}
    >
      <ColumnChoice label={t("column")} columns={columns} value={name} set={setName} />
      <label>
        {t("condition")}
        <select
          value={operator}
          onChange={({ currentTarget }) => {
            if (isOperator(currentTarget.value)) setWanted(currentTarget.value);
            setChosen(true);
          }}
        >
          {operators.map((choice) => (
            <option key={choice} value={choice}>
              {t(operatorKey(choice))}
            </option>
          ))}
        </select>
      </label>
      {takesValue(operator) && (
        <label>
          {t("value")}
          <input
            type="text"
            required
            ref={input}
            value={value}
            onInput={({ currentTarget }) => setValue(currentTarget.value)}
          />
        </label>
      )}
      <button type="submit">{t("apply")}</button>
    </form>
  );
}
