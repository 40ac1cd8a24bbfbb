import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useText, type TextKey } from "../../i18n/text.tsx";
import { valueOf } from "../../state/tags.ts";
import { compared } from "../../text/order.ts";
import { shortened } from "../../text/visible.ts";
import { Datum } from "../shared/Datum.tsx";

const NAMES: ReadonlyMap<string, TextKey> = new Map([
  ["provider", "nsProvider"],
  ["topic", "nsTopic"],
  ["geo", "nsGeo"],
  ["cadence", "nsCadence"],
  ["eu_theme", "nsEuTheme"],
  ["layer", "nsLayer"],
]);
/** Number of tags that are shown before the user asks for all. */
const FEW = 10;

interface Props {
  readonly namespace: string;
  /** All tags of the namespace. */
  readonly tags: readonly string[];
  /** For each tag, the number of relations that the list shows if the tag is selected. */
  readonly counts: ReadonlyMap<string, number>;
  readonly chosen: readonly string[];
  readonly toggle: (tag: string) => void;
}

/** Check boxes for the tags of one namespace, the most frequent first. Selected tags are always shown. */
export function TagGroup({ namespace, tags, counts, chosen, toggle }: Props): VNode {
  const { t, number } = useText();
  const [all, setAll] = useState(false);
  const name = NAMES.get(namespace);
  const count = (tag: string): number => counts.get(tag) ?? 0;
  const sorted = tags.toSorted((a, b) => count(b) - count(a) || compared(a, b));
  const shown = sorted.filter((tag, index) => all || index < FEW || chosen.includes(tag));
  return (
    <fieldset>
      <legend>{name ? t(name) : <Datum>{namespace}</Datum>}</legend>
      {shown.map((tag) => (
        <label key={tag} class={count(tag) === 0 ? "none" : undefined}>
          <input type="checkbox" checked={chosen.includes(tag)} onChange={() => toggle(tag)} value={tag} />
          <Datum>{shortened(valueOf(tag), 80).text}</Datum> <span class="count">{number(count(tag))}</span>
        </label>
      ))}
      {shown.length < tags.length && (
        <button type="button" class="link" onClick={() => setAll(true)}>
          {t("more", { count: tags.length })}
        </button>
      )}
    </fieldset>
  );
}
