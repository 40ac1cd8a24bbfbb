import type { VNode } from "preact";
import { Link } from "wouter-preact";
import { useContract } from "../api/contract.ts";
import { useEndpoints } from "../api/meta.ts";
import { Changelog } from "../components/description/Changelog.tsx";
import { Deprecated } from "../components/description/Deprecated.tsx";
import { Title } from "../components/layout/Title.tsx";
import { Datum } from "../components/shared/Datum.tsx";
import { Pending } from "../components/shared/Pending.tsx";
import { Problem } from "../components/shared/Problem.tsx";
import { useText } from "../i18n/text.tsx";
import { tablePath } from "../state/paths.ts";

/** The page `/contract`: the agreed columns of the default schema, and its changelog. */
export function ContractPage(): VNode {
  const { t } = useText();
  const { data, error, refetch, isPending } = useContract();
  // The contract is a file; the API's headers announce the end of its schema.
  const endpoints = useEndpoints();
  return (
    <>
      <Title name={t("contractHeading")} />
      <Deprecated deprecation={endpoints.data?.deprecation} />
      <p>{t("contractIntro")}</p>
      {error !== null && <Problem error={error} retry={refetch} />}
      {isPending && <Pending />}
      {data === null && <p>{t("contractNone")}</p>}
      {data &&
        Object.entries(data.relations).map(([relation, columns]) => (
          <section key={relation}>
            <h2>
              <Link href={tablePath(data.schema, relation)}>
                <Datum>{relation}</Datum>
              </Link>
            </h2>
            <div class="frame-table" role="region" aria-label={relation} tabIndex={0}>
              <table class="reference">
                <thead>
                  <tr>
                    <th scope="col">{t("column")}</th>
                    <th scope="col">{t("type")}</th>
                  </tr>
                </thead>
                <tbody>
                  {Object.entries(columns).map(([name, type]) => (
                    <tr key={name}>
                      <th scope="row">
                        <code>
                          <Datum>{name}</Datum>
                        </code>
                      </th>
                      <td>
                        <Datum>{type}</Datum>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </section>
        ))}
      <Changelog />
    </>
  );
}
