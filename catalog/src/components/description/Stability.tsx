import type { VNode } from "preact";
import { useText } from "../../i18n/text.tsx";

/** A badge that shows whether a relation is part of the contract (stable) or can change (open). */
export function Stability({ stability }: { stability: "stable" | "open" }): VNode {
  const { t } = useText();
  return (
    <span class={`badge ${stability}`} title={t(stability === "stable" ? "stableHelp" : "openHelp")}>
      {t(stability === "stable" ? "stable" : "open")}
    </span>
  );
}
