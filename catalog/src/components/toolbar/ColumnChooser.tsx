import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useText } from "../../i18n/text.tsx";
import type { Column } from "../../state/columns.ts";
import { Datum } from "../shared/Datum.tsx";

interface Props {
  readonly columns: readonly Column[];
  /** The columns of the table. */
  readonly shown: readonly Column[];
  /** Is called with the names of the columns to show; empty = all. */
  readonly change: (names: readonly string[]) => void;
}

/** Selects the columns that the page requests and shows, at least one. */
export function ColumnChooser({ columns, shown, change }: Props): VNode {
  const { t } = useText();
  const [text, setText] = useState("");
  const names = shown.map(({ name }) => name);
  const toggle = (name: string): void => {
    const next = names.includes(name) ? names.filter((other) => other !== name) : [...names, name];
    if (next.length > 0)
      change(
        next.length === columns.length
          ? []
          : columns.map((column) => column.name).filter((other) => next.includes(other)),
      );
  };
  return (
    <details class="filter">
      <summary>{t("columnsShown", { shown: shown.length, total: columns.length })}</summary>
      {columns.length > 12 && (
        <input
          type="search"
          aria-label={t("findColumn")}
          placeholder={t("findColumn")}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      <fieldset class="many">
        <legend>{t("columns")}</legend>
        {columns
          .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
          .map(({ name }) => (
            <label key={name}>
              <input
                type="checkbox"
                checked={names.includes(name)}
                disabled={names.length === 1 && names[0] === name}
                onChange={() => toggle(name)}
              />
              <Datum>{name}</Datum>
            </label>
          ))}
      </fieldset>
      <button type="button" class="link" onClick={() => change([])}>
        {t("allColumns")}
      </button>
    </details>
  );
}
