import type { VNode } from "preact";
import type { Source } from "../api/meta.ts";
import { useText } from "../i18n/text.tsx";

const TEXTS = { fresh: "fresh", late: "lateShort", unknown: "unknownShort" } as const;

/** Freshness in a word or two. */
export function Freshness({ freshness }: { freshness: Source["freshness"] }): VNode {
  const { t } = useText();
  return <span class={`badge ${freshness}`}>{t(TEXTS[freshness])}</span>;
}
