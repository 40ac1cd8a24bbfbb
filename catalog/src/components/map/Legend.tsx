import type { VNode } from "preact";
import { useText } from "../../i18n/text.tsx";
import type { Column } from "../../state/columns.ts";
import { shortened, visible } from "../../text/visible.ts";
import { Datum } from "../shared/Datum.tsx";
import type { ValueClass } from "./classes.ts";

interface Props {
  /** The column with the values. */
  readonly measure: Pick<Column, "name" | "description">;
  readonly classes: readonly ValueClass[];
  /** Number of areas without a value. */
  readonly others: number;
}

/** The legend of a map: for each class its colour, least and greatest value and number of areas. */
export function Legend({ measure, classes, others }: Props): VNode {
  const { t, dataNumber } = useText();
  return (
    <div class="legend">
      <p id="legend">
        <strong>{t("mapLegend", { y: visible(measure.name) })}</strong>{" "}
        {measure.description !== null && <Datum>{shortened(measure.description).text}</Datum>}
      </p>
      <ul aria-labelledby="legend">
        {classes.map(({ from, to, count, tone }) => (
          <Entry
            key={from}
            tone={tone}
            text={from === to ? dataNumber(from) : t("mapRange", { from: dataNumber(from), to: dataNumber(to) })}
            count={count}
          />
        ))}
        {others > 0 && <Entry tone={undefined} text={t("mapNoValue")} count={others} />}
      </ul>
    </div>
  );
}

function Entry({ tone, text, count }: { tone: number | undefined; text: string; count: number }): VNode {
  const { number } = useText();
  return (
    <li>
      <svg viewBox="0 0 2 1" aria-hidden="true">
        <rect width="2" height="1" class={swatch(tone)} />
      </svg>{" "}
      {text} <small>({number(count)})</small>
    </li>
  );
}

/** Returns the CSS class with the colour of a tone; undefined = no value. */
export function swatch(tone: number | undefined): string {
  if (tone === undefined) return "no-value";
  return tone < 0 ? `below tone-${-tone}` : `tone-${tone}`;
}
