import type { VNode } from "preact";
import { Link } from "wouter-preact";
import { type Dimension, useDimensions } from "../../api/meta.ts";
import { useText } from "../../i18n/text.tsx";
import { tablePath } from "../../state/paths.ts";
import { cellText } from "../../text/visible.ts";
import { Datum } from "../shared/Datum.tsx";
import { Pending } from "../shared/Pending.tsx";
import { Problem } from "../shared/Problem.tsx";

/** The dimensions of a source, and the columns that contain them. */
export function DimensionsTable({ sourceId }: { sourceId: string }): VNode {
  const { t } = useText();
  const { data, error, refetch, isPending } = useDimensions(sourceId);
  return (
    <section aria-labelledby="dimensions">
      <h2 id="dimensions">{t("dimensions")}</h2>
      {error !== null && <Problem error={error} retry={refetch} />}
      {isPending && <Pending />}
      {data?.rows.length === 0 && <p>{t("noDimensions")}</p>}
      {data && data.rows.length > 0 && (
        <div class="frame-table" role="region" aria-label={t("dimensionsLabel")} tabIndex={0}>
          <table class="reference">
            <thead>
              <tr>
                <th scope="col">{t("dimension")}</th>
                <th scope="col">{t("description")}</th>
                <th scope="col">{t("appearsIn")}</th>
                <th scope="col">{t("editorial")}</th>
              </tr>
            </thead>
            <tbody>
              {data.rows.map((dimension) => (
                <Line key={dimension.dimension} dimension={dimension} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Line({
  dimension: { dimension, title, description, schema, relation, column_name, editorial },
}: {
  dimension: Dimension;
}): VNode {
  const remarks = cellText(editorial);
  return (
    <tr>
      <th scope="row">
        <Datum>{title ?? dimension}</Datum>{" "}
        <code>
          <Datum>{dimension}</Datum>
        </code>
      </th>
      <td>{description && <Datum>{description}</Datum>}</td>
      <td>
        {schema !== null && relation !== null && (
          <Link href={tablePath(schema, relation)}>
            <Datum>{[schema, relation, ...(column_name === null ? [] : [column_name])].join(".")}</Datum>
          </Link>
        )}
      </td>
      <td>
        {remarks !== "{}" && (
          <code>
            <Datum>{remarks}</Datum>
          </code>
        )}
      </td>
    </tr>
  );
}
