import type { VNode } from "preact";
import { useText } from "../../i18n/text.tsx";
import { namespaceOf } from "../../state/tags.ts";
import { compared } from "../../text/order.ts";
import { TagGroup } from "./TagGroup.tsx";

/** Order of the namespaces; unknown ones follow by name. */
const ORDER = ["layer", "topic", "provider", "geo", "cadence", "eu_theme"];

interface Props {
  /** For each tag, the number of relations that the list shows if the tag is selected. */
  readonly counts: ReadonlyMap<string, number>;
  readonly chosen: readonly string[];
  readonly toggle: (tag: string) => void;
}

/** Check boxes for all tags, grouped by namespace. Open at first where the list has room next to it. */
export function TagFilter({ counts, chosen, toggle }: Props): VNode {
  const { t } = useText();
  const rank = (namespace: string): number => (ORDER.includes(namespace) ? ORDER.indexOf(namespace) : ORDER.length);
  const groups = [...Map.groupBy(counts.keys(), namespaceOf)].sort(([a], [b]) => rank(a) - rank(b) || compared(a, b));
  return (
    <details class="filter" open={window.matchMedia("(min-width: 800px)").matches}>
      <summary>{t("filterHeading")}</summary>
      <p>
        <small>{t("filterHelp")}</small>
      </p>
      {groups.map(([namespace, tags]) => (
        <TagGroup key={namespace} namespace={namespace} tags={tags} counts={counts} chosen={chosen} toggle={toggle} />
      ))}
    </details>
  );
}
