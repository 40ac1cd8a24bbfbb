import type { VNode } from "preact";
import { useConfig } from "../api/config.ts";
import { type EndpointDetails, useSources } from "../api/meta.ts";
import { urlOf, viewRequest } from "../api/request.ts";
import { useText } from "../i18n/text.tsx";
import { readView } from "../state/view.ts";
import { visible } from "../text/visible.ts";
import { CopyBox } from "./CopyBox.tsx";

/** A line that names whose data this is, ready for a footnote. */
export function Citation({ endpoint }: { endpoint: EndpointDetails }): VNode | null {
  const { t, date } = useText();
  const { data: config } = useConfig();
  const { data } = useSources(endpoint.source_ids);
  if (!config) return null;
  const { relation, profile } = viewRequest(endpoint, readView(new URLSearchParams()));
  const sources = data?.rows ?? [];
  const joined = (values: readonly (string | null)[]): string =>
    [...new Set(values.filter((value) => value !== null))].join("; ");
  const line = visible(
    t("citeLine", {
      attribution:
        joined(sources.map((source) => source.attribution ?? source.publisher ?? source.title)) || t("unknown"),
      title: endpoint.title ?? endpoint.relation,
      relation: `${endpoint.schema}.${endpoint.relation}`,
      licence: joined(sources.map((source) => source.licence)) || t("noLicence"),
      date: date(new Date()),
      url: urlOf(config.baseUrl, { relation, profile, params: [] }),
    }),
  );
  return (
    <section aria-labelledby="cite">
      <h2 id="cite">{t("citeHeading")}</h2>
      <CopyBox text={line} label={t("citation")} />
    </section>
  );
}
