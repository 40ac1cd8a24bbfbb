import type { VNode } from "preact";
import type { Source } from "../../api/meta.ts";
import { useText } from "../../i18n/text.tsx";

const SHORT = { fresh: "fresh", late: "lateShort", unknown: "unknownShort" } as const;
const DETAILED = { fresh: "fresh", late: "late", unknown: "unknownFreshness" } as const;

interface Props {
  readonly freshness: Source["freshness"];
  /** Whether to show a sentence instead of one or two words. */
  readonly detailed?: boolean;
}

/** A badge with the freshness of a source or a relation. */
export function Freshness({ freshness, detailed = false }: Props): VNode {
  const { t } = useText();
  return <span class={`badge ${freshness}`}>{t((detailed ? DETAILED : SHORT)[freshness])}</span>;
}
