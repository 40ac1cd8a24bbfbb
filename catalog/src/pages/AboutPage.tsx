import type { VNode } from "preact";
import { SITE, useConfig } from "../api/config.ts";
import { Stability } from "../components/description/Stability.tsx";
import { Title } from "../components/layout/Title.tsx";
import { Pending } from "../components/shared/Pending.tsx";
import { Problem } from "../components/shared/Problem.tsx";
import { useText } from "../i18n/text.tsx";
import { LIMIT_TEXTS, limitValues } from "../text/limits.ts";

/** The page `/about`: which schema is stable, the limits of the API, and how its data are cited. */
export function AboutPage(): VNode {
  const { t, date } = useText();
  const { data: config, error, refetch, isPending } = useConfig();
  return (
    <>
      <Title name={t("aboutHeading")} />
      <section aria-labelledby="stability">
        <h2 id="stability">{t("aboutOpenHeading")}</h2>
        <p>
          <Stability stability="stable" /> {t("stableHelp")}
        </p>
        <p>
          <Stability stability="open" /> {t("openHelp")}
        </p>
      </section>
      <section aria-labelledby="limits">
        <h2 id="limits">{t("aboutLimitsHeading")}</h2>
        {error !== null && <Problem error={error} retry={refetch} />}
        {isPending && <Pending />}
        <ul>
          {config && LIMIT_TEXTS.map((text) => <li key={text}>{t(text, limitValues(config.limits))}</li>)}
          <li>{t("limitRead")}</li>
        </ul>
      </section>
      <section aria-labelledby="cite">
        <h2 id="cite">{t("aboutCiteHeading")}</h2>
        <p>{t("aboutCite")}</p>
        <blockquote>
          {t("citeLine", {
            attribution: "Kilde: Statistisk sentralbyrå",
            title: "Folketall",
            relation: "marts.fact_folketall",
            licence: "CC BY 4.0",
            date: date(new Date(2026, 0, 1)),
            url: `${SITE}data/marts/fact_folketall`,
          })}
        </blockquote>
      </section>
      {config && (
        <section aria-labelledby="api">
          <h2 id="api">{t("aboutApiHeading")}</h2>
          <p>
            {t("aboutApi", { url: config.baseUrl })}{" "}
            <a href={`${config.baseUrl}/openapi.json`}>{`${config.baseUrl}/openapi.json`}</a>
          </p>
        </section>
      )}
    </>
  );
}
