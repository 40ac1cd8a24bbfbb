import type { VNode } from "preact";
import { Link } from "wouter-preact";
import { useSources } from "../api/meta.ts";
import { Deprecated } from "../components/description/Deprecated.tsx";
import { DimensionsTable } from "../components/description/DimensionsTable.tsx";
import { SourceFacts } from "../components/description/SourceFacts.tsx";
import { Title } from "../components/layout/Title.tsx";
import { Datum } from "../components/shared/Datum.tsx";
import { Pending } from "../components/shared/Pending.tsx";
import { Problem } from "../components/shared/Problem.tsx";
import { useText } from "../i18n/text.tsx";
import { listPath, tablePath } from "../state/paths.ts";
import { NotFoundPage } from "./NotFoundPage.tsx";

/** The page `/sources/<id>`: publisher, terms and dimensions of a source, and the relations that contain its rows. */
export function SourcePage({ id }: { id: string }): VNode {
  const { t, number } = useText();
  const { data, error, refetch } = useSources([id]);
  const source = data?.rows[0];
  if (!data || error)
    return (
      <>
        <Title name={id} />
        {error ? <Problem error={error} retry={refetch} /> : <Pending />}
      </>
    );
  if (!source) return <NotFoundPage />;
  const { endpoints, provider, row_estimate } = source;
  return (
    <>
      <Title name={source.title} />
      <p>
        {t("source")}:{" "}
        <code>
          <Datum>{source.source_id}</Datum>
        </code>{" "}
        · {t("nsProvider")}:{" "}
        <Link href={listPath({ tags: [`provider:${provider}`] })}>
          <Datum>{provider}</Datum>
        </Link>
      </p>
      <Deprecated deprecation={data.deprecation} />
      <section class="terms" aria-labelledby="terms">
        <h2 id="terms">{t("termsHeading")}</h2>
        <SourceFacts source={source} linked={false} />
      </section>
      <section aria-labelledby="tables">
        <h2 id="tables">
          {t("sourceTables")} <span class="count">{number(endpoints.length)}</span>
        </h2>
        <ul>
          {endpoints.map((name) => (
            <li key={name}>
              <Link href={pathOf(name)}>
                <Datum>{name}</Datum>
              </Link>
            </li>
          ))}
        </ul>
        {row_estimate !== null && (
          <p>
            {t("rowsTogether")}: {t("aboutRows", { count: row_estimate })}
          </p>
        )}
      </section>
      <DimensionsTable sourceId={id} />
    </>
  );
}

/** The path of `<schema>.<relation>`. Names of exposed schemas contain no dot, names of relations can. */
function pathOf(name: string): string {
  const dot = name.indexOf(".");
  return tablePath(name.slice(0, dot), name.slice(dot + 1));
}
