import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Row } from "../../api/rows.ts";
import { useText } from "../../i18n/text.tsx";
import type { Column } from "../../state/columns.ts";
import { cellText } from "../../text/visible.ts";
import { Datum } from "../shared/Datum.tsx";

interface Props {
  readonly columns: readonly Column[];
  readonly row: Row;
  /** Number of the row, from 1. */
  readonly number: number;
  readonly close: () => void;
}

/** A dialog with the whole values of a row, and the descriptions of its columns. */
export function RowDialog({ columns, row, number, close }: Props): VNode {
  const { t } = useText();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="row">
      <article>
        <header>
          <h2 id="row">{t("rowDetails", { number })}</h2>
          <button type="button" class="outline" onClick={() => dialog.current?.close()}>
            {t("close")}
          </button>
        </header>
        <dl class="row" tabIndex={0}>
          {columns.map(({ name, description }) => (
            <div key={name}>
              <dt>
                <Datum>{name}</Datum>
                {description && (
                  <small>
                    <Datum>{description}</Datum>
                  </small>
                )}
              </dt>
              <dd>{row[name] === null ? <i class="null">{t("noValue")}</i> : <Datum>{cellText(row[name])}</Datum>}</dd>
            </div>
          ))}
        </dl>
      </article>
    </dialog>
  );
}
