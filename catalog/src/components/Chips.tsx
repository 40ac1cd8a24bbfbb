import type { VNode } from "preact";
import { useText } from "../i18n/text.tsx";
import { shortened, visible } from "../text/visible.ts";

interface Chip {
  readonly name: string;
  readonly remove: () => void;
}

/** The active filters of the list or the table: a button that removes each, and a button that removes all. */
export function Chips({ chips, clear }: { chips: readonly Chip[]; clear: () => void }): VNode | null {
  const { t } = useText();
  if (chips.length === 0) return null;
  return (
    <div class="chips">
      {chips.map(({ name, remove }) => (
        <button
          key={name}
          type="button"
          class="chip"
          aria-label={t("remove", { name: visible(name) })}
          onClick={remove}
        >
          <bdi>{visible(shortened(name, 80).text)}</bdi> <span aria-hidden="true">×</span>
        </button>
      ))}
      <button type="button" class="link" onClick={clear}>
        {t("clearAll")}
      </button>
    </div>
  );
}
