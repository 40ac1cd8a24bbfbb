import type { VNode } from "preact";
import { useText } from "../../i18n/text.tsx";
import { namespaceOf } from "../../state/tags.ts";
import { TagGroup } from "./TagGroup.tsx";

const ORDER = ["layer", "topic", "provider", "geo", "cadence", "eu_theme"];

interface Props {
  /** How many relations each tag would show. */
  readonly counts: ReadonlyMap<string, number>;
  readonly chosen: readonly string[];
  readonly toggle: (tag: string) => void;
}

/** All tags by namespace, with live counts. */
export function TagFilter({ counts, chosen, toggle }: Props): VNode {
  const { t } = useText();
  const rank = (namespace: string): number => (ORDER.includes(namespace) ? ORDER.indexOf(namespace) : ORDER.length);
  const groups = [...Map.groupBy(counts.keys(), namespaceOf)].sort(
    ([a], [b]) => rank(a) - rank(b) || a.localeCompare(b),
  );
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
