import type { ComponentChildren, VNode } from "preact";
import { Link } from "wouter-preact";
import { useConfig } from "../../api/config.ts";
import { type EndpointDetails, useSources } from "../../api/meta.ts";
import type { Counted } from "../../api/rows.ts";
import { useText } from "../../i18n/text.tsx";
import { freshnessOf } from "../../state/freshness.ts";
import { distinct } from "../../text/distinct.ts";
import { limitValues } from "../../text/limits.ts";
import { Datum } from "../shared/Datum.tsx";
import { Pending } from "../shared/Pending.tsx";
import { Problem } from "../shared/Problem.tsx";
import { Freshness } from "./Freshness.tsx";
import { SourceFacts } from "./SourceFacts.tsx";

interface Props {
  readonly endpoint: EndpointDetails;
  /** The rows of the table; undefined = not loaded. */
  readonly response: Counted | undefined;
  /** Further details. */
  readonly children?: ComponentChildren;
}

/** One line with publisher, licence, freshness, number of rows and limits, which opens to the details of each source. */
export function Terms({ endpoint, response, children }: Props): VNode {
  const { t, date } = useText();
  const { data: config } = useConfig();
  const { data, error, refetch, isLoading } = useSources(endpoint.source_ids);
  const sources = data?.rows ?? [];
  const known = !isLoading && error === null;
  const joined = (values: readonly (string | null)[]): string => distinct(values).join(", ");
  return (
    <section aria-labelledby="terms" class="terms">
      <h2 id="terms" class="visually-hidden">
        {t("termsHeading")}
      </h2>
      <details>
        <summary>
          <span class="facts">
            {isLoading && <Pending inline />}
            {known && (
              <>
                <span class="long">
                  <Datum>{joined(sources.map(({ publisher, title }) => publisher ?? title)) || t("sourceNone")}</Datum>
                </span>
                <span class="long">
                  <Datum>{joined(sources.map(({ licence }) => licence ?? t("noLicence"))) || t("noLicence")}</Datum>
                </span>
                <Freshness freshness={freshnessOf(sources)} />
              </>
            )}
            {response?.total != null && (
              <span class="spacious">{t(response.exact ? "countedRows" : "aboutRows", { count: response.total })}</span>
            )}
            {config && (
              <span>
                {t("limitsLine", limitValues(config.limits))}{" "}
                <span class="spacious">{t("perResponse", limitValues(config.limits))}</span>
              </span>
            )}
          </span>
        </summary>
        {known && sources.length === 0 && <p>{t("noSource")}</p>}
        <div class="sources">
          {sources.map((source) => (
            <SourceFacts key={source.source_id} source={source} />
          ))}
        </div>
        <p>
          <strong>{t("limits")}:</strong> {config && t("limitsShort", limitValues(config.limits))}{" "}
          <Link href="/about">{t("limitsMore")}</Link>
          {response && ` · ${t("answered", { date: date(response.date, true) })}`}
        </p>
        {children}
      </details>
      {error !== null && <Problem error={error} retry={refetch} />}
    </section>
  );
}
