import type { VNode } from "preact";
import { Link } from "wouter-preact";
import { useText } from "../../i18n/text.tsx";
import { type Column, familyOf, KEY_COLUMNS } from "../../state/columns.ts";
import { listPath } from "../../state/paths.ts";
import { cellText, shortened } from "../../text/visible.ts";
import { Datum } from "../shared/Datum.tsx";

interface Props {
  readonly column: Column;
  /** Position in the table, from 1. */
  readonly position: number;
  readonly value: unknown;
}

/**
 * A cell of the table. A value of a key column links to the relations that have this column. Long values are cut; the details of the row
 * show them in full.
 */
export function Cell({ column, position, value }: Props): VNode {
  const { t } = useText();
  const { text, cut } = shortened(cellText(value));
  return (
    <td aria-colindex={position} class={familyOf(column)}>
      {value === null ? <i class="null">{t("noValue")}</i> : content()}
      {cut && <small> … {t("cut")}</small>}
    </td>
  );

  function content(): VNode {
    if (!KEY_COLUMNS.includes(column.name) || text === "" || cut) return <Datum>{text}</Datum>;
    return (
      <Link
        href={listPath({ column: column.name, value: text })}
        title={t("carryingValue", { column: column.name, value: text })}
      >
        <Datum>{text}</Datum>
      </Link>
    );
  }
}
