import type { VNode } from "preact";
import { Link } from "wouter-preact";
import { useConfig } from "../api/config.ts";
import { type EndpointDetails, useSources } from "../api/meta.ts";
import { useText } from "../i18n/text.tsx";
import { limitValues } from "../text/limits.ts";
import { Pending } from "./Pending.tsx";
import { Problem } from "./Problem.tsx";
import { SourceFacts } from "./SourceFacts.tsx";

interface Props {
  readonly endpoint: EndpointDetails;
  /** When the rows were answered. */
  readonly answered: Date | undefined;
}

/** Where the rows come from, under which terms, how fresh they are, and what limits hold. Always shown. */
export function Terms({ endpoint, answered }: Props): VNode {
  const { t, date } = useText();
  const { data: config } = useConfig();
  const { data, error, refetch, isLoading } = useSources(endpoint.source_ids);
  const sources = data?.rows ?? [];
  return (
    <section aria-labelledby="terms" class="terms">
      <h2 id="terms">{t("termsHeading")}</h2>
      {isLoading && <Pending />}
      {error !== null && <Problem error={error} retry={refetch} />}
      {!isLoading && error === null && sources.length === 0 && <p>{t("noSource")}</p>}
      <div class="sources">
        {sources.map((source) => (
          <SourceFacts key={source.source_id} source={source} />
        ))}
      </div>
      <p>
        <strong>{t("limits")}:</strong> {config && t("limitsShort", limitValues(config.limits))}{" "}
        <Link href="/about">{t("limitsMore")}</Link>
        {answered && ` · ${t("answered", { date: date(answered, true) })}`}
      </p>
    </section>
  );
}
