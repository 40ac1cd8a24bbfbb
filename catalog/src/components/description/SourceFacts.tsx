import type { ComponentChildren, VNode } from "preact";
import { Link } from "wouter-preact";
import type { Source } from "../../api/meta.ts";
import { useText } from "../../i18n/text.tsx";
import { sourcePath } from "../../state/paths.ts";
import { webAddress } from "../../text/links.ts";
import { Datum } from "../shared/Datum.tsx";
import { Freshness } from "./Freshness.tsx";

/** Publisher, licence, freshness and dates of a source. @param linked whether to link to the page of the source */
export function SourceFacts({ source, linked = true }: { source: Source; linked?: boolean }): VNode {
  const { t, date } = useText();
  const { title, source_id, freshness } = source;
  return (
    <dl>
      {linked && (
        <Fact name={t("source")}>
          <Link href={sourcePath(source_id)}>
            <Datum>{title}</Datum>
          </Link>
        </Fact>
      )}
      <Fact name={t("publisher")}>
        <Datum>{source.publisher ?? t("unknown")}</Datum>
      </Fact>
      <Fact name={t("licence")}>
        <Address href={source.licence_url} text={source.licence ?? t("noLicence")} />
      </Fact>
      {source.attribution && (
        <Fact name={t("attribution")}>
          <Datum>{source.attribution}</Datum>
        </Fact>
      )}
      <Fact name={t("freshness")}>
        <Freshness freshness={freshness} detailed />
      </Fact>
      {(
        [
          ["ingested", source.last_ingested_at],
          ["updated", source.upstream_updated_at],
          ["expected", source.next_expected_at],
        ] as const
      ).map(
        ([key, when]) =>
          when !== null && (
            <Fact key={key} name={t(key)}>
              <time dateTime={when}>{date(when)}</time>
            </Fact>
          ),
      )}
      {source.periodicity && (
        <Fact name={t("periodicity")}>
          <Datum>{source.periodicity}</Datum>
        </Fact>
      )}
      {source.homepage && (
        <Fact name={t("homepage")}>
          <Address href={source.homepage} text={source.homepage} />
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }): VNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A link, if the text of the data is the address of a web page. */
function Address({ href, text }: { href: string | null; text: string }): VNode {
  const address = webAddress(href);
  if (address === undefined) return <Datum>{text}</Datum>;
  return (
    <a href={address} rel="noreferrer">
      <Datum>{text}</Datum>
    </a>
  );
}
