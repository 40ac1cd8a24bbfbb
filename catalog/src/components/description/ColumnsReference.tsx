import type { VNode } from "preact";
import { Link } from "wouter-preact";
import type { EndpointDetails } from "../../api/meta.ts";
import { useText } from "../../i18n/text.tsx";
import { KEY_COLUMNS } from "../../state/columns.ts";
import { listPath } from "../../state/paths.ts";
import type { Filter } from "../../state/view.ts";
import { Datum } from "../shared/Datum.tsx";

/**
 * All columns of a relation with type and description. A key column links to the relations that have it, with the value that the rows are
 * filtered by.
 */
export function ColumnsReference({
  endpoint,
  filters,
}: {
  endpoint: EndpointDetails;
  filters: readonly Filter[];
}): VNode {
  const { t } = useText();
  const columns = endpoint.columns ?? [];
  const valueOf = (name: string): string =>
    filters.find(({ column, operator }) => column === name && operator === "eq")?.value ?? "";
  return (
    <section aria-labelledby="columns">
      <h2 id="columns">{t("columnsHeading")}</h2>
      <div class="frame-table" role="region" aria-label={t("referenceLabel")} tabIndex={0}>
        <table class="reference">
          <thead>
            <tr>
              <th scope="col">{t("column")}</th>
              <th scope="col">{t("type")}</th>
              <th scope="col">{t("nullable")}</th>
              <th scope="col">{t("description")}</th>
            </tr>
          </thead>
          <tbody>
            {columns.map(({ name, type, nullable, description, key }) => (
              <tr key={name}>
                <th scope="row">
                  <code>
                    <Datum>{name}</Datum>
                  </code>
                  {key && <span class="badge">{t("key")}</span>}
                </th>
                <td>
                  <Datum>{type}</Datum>
                </td>
                <td>{t(nullable ? "yes" : "no")}</td>
                <td>
                  {description ? <Datum>{description}</Datum> : t("noDescription")}{" "}
                  {KEY_COLUMNS.includes(name) && (
                    <Link href={listPath({ column: name, value: valueOf(name) })}>
                      {t("carriedBy", { column: name })}
                    </Link>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
