import type { VNode } from "preact";
import type { Column } from "../../state/columns.ts";
import { visible } from "../../text/visible.ts";

interface Props {
  readonly label: string;
  readonly columns: readonly Pick<Column, "name">[];
  readonly value: string;
  readonly set: (name: string) => void;
  /** Text of an option for no column, whose value is empty; without it, there is none. */
  readonly none?: string;
}

/** A drop-down list of columns. */
export function ColumnChoice({ label, columns, value, set, none }: Props): VNode {
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
