import { SITE } from "../../api/config.ts";
import { type EndpointDetails, useSources } from "../../api/meta.ts";
import { useText } from "../../i18n/text.tsx";
import { tablePath } from "../../state/paths.ts";
import type { ViewState } from "../../state/view.ts";
import { distinct } from "../../text/distinct.ts";
import { bibtex } from "../../text/citation.ts";
import { visible } from "../../text/visible.ts";

export const FORMATS = ["citeText", "BibTeX"] as const;
export type Format = (typeof FORMATS)[number];

/**
 * Returns the citation of the rows of a view, by format; undefined until their sources are known.
 * @param read when the API returned them
 */
export function useCitation(
  endpoint: EndpointDetails,
  { columns, filters }: ViewState,
  read: Date = new Date(),
): Readonly<Record<Format, string>> | undefined {
  const { t, date } = useText();
  const { data } = useSources(endpoint.source_ids);
  // Not requested for a relation without sources. After an error, their terms are unknown: that is not "no licence stated".
  if (!data && endpoint.source_ids.length > 0) return undefined;
  const sources = data?.rows ?? [];
  const { schema, relation } = endpoint;
  const licence = distinct(sources.map((source) => source.licence ?? t("noLicence"))).join("; ") || t("noLicence");
  // The page, not the request: an address of the API means another table without the header of its schema.
  const url = new URL(tablePath(schema, relation, { columns, filters }).slice(1), SITE).href;
  const title = endpoint.title ?? relation;
  const ingested = distinct(sources.map((source) => source.last_ingested_at))
    .sort()
    .at(-1);
  const attributions = distinct(sources.map(({ attribution, publisher, title }) => attribution ?? publisher ?? title));
  return {
    citeText: visible(
      t("citeLine", {
        attribution: attributions.join("; ") || t("unknown"),
        title,
        relation: `${schema}.${relation}`,
        licence,
        date: date(read),
        url,
      }),
    ),
    BibTeX: visible(
      bibtex({
        name: `${schema}.${relation}`,
        title,
        licence,
        url,
        read,
        publishers: distinct(sources.map(({ publisher, title }) => publisher ?? title)),
        ingested: ingested === undefined ? null : new Date(ingested),
      }),
    ),
  };
}
