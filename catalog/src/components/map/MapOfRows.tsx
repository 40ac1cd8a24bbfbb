import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { quotedName } from "../../api/request.ts";
import { useText } from "../../i18n/text.tsx";
import { isTime } from "../../state/columns.ts";
import { shortened, visible } from "../../text/visible.ts";
import { type DrawnProps, useDrawnRows } from "../chart/useDrawnRows.ts";
import { Pending } from "../shared/Pending.tsx";
import { Problem } from "../shared/Problem.tsx";
import { AreaMap } from "./AreaMap.tsx";
import { areaValues, latestRows, withoutLastArea } from "./areas.ts";
import { type Shapes, useShapes } from "./geometry.ts";
import { type AreaKey, areaNumber } from "./keys.ts";

interface Props extends DrawnProps {
  readonly areaKey: AreaKey;
  readonly y: string;
}

/**
 * Requests the rows that match the filters, and draws those of the latest time on a map. A separate module, so that a page without a map
 * does not load it.
 */
export default function MapOfRows({ areaKey, y, ...drawn }: Props): VNode {
  const { t } = useText();
  const { name, level } = areaKey;
  const columns = drawn.endpoint.columns ?? [];
  const time = columns.find((column) => isTime(column, drawn.response.rows))?.name;
  const measure = columns.find((column) => column.name === y) ?? { name: y, description: null };
  const latestFirst = time === undefined ? [] : [`${quotedName(time)}.desc.nullslast`];
  const order = [...latestFirst, quotedName(name)].join(",");
  const { rows, complete, error, refetch } = useDrawnRows(
    drawn,
    [name, y, ...(time === undefined ? [] : [time])],
    order,
  );
  const shapes = useShapes(level);
  const { ids } = shapes.data ?? {};
  const latest = useMemo(
    () => latestRows(rows ?? [], time, (row) => ids?.get(areaNumber(row[name], level) ?? "")),
    [rows, time, name, level, ids],
  );
  // The response ended among the drawn rows.
  const cut = !complete && latest.rows.length > 0 && latest.rows.at(-1) === rows?.at(-1);
  // Rows of several times are in the order of these, not of the areas.
  const drawnRows = useMemo(() => {
    const times = new Set(latest.rows.map((row) => (time === undefined ? null : row[time])));
    return cut && times.size === 1 ? withoutLastArea(latest.rows, name) : latest.rows;
  }, [cut, latest, name, time]);
  const found = useMemo(
    () => (ids ? areaValues(drawnRows, { map: name, y }, level, ids) : undefined),
    [drawnRows, name, y, level, ids],
  );
  if (error) return <Problem error={error} retry={refetch} />;
  if (shapes.error) return <Problem error={shapes.error} retry={shapes.refetch} />;
  if (!rows || !shapes.data || !found) return <Pending />;
  const { values, repeated, missing, skipped } = found;
  const all = latest.time === null ? "chartAll" : "mapLatest";
  const part = latest.time === null ? "chartCut" : "mapLatestCut";
  return (
    <>
      {values.size === 0 ? (
        <p role="status">{t("mapEmpty")}</p>
      ) : (
        <AreaMap
          shapes={shapes.data}
          values={values}
          measure={measure}
          label={t("mapLabel", { x: visible(name), y: visible(y) })}
        />
      )}
      <p class="basis">
        {t(cut ? part : all, {
          count: drawnRows.length,
          column: visible(time ?? ""),
          time: visible(latest.time ?? ""),
        })}{" "}
        {missing.count > 0 &&
          t("mapMissing", {
            count: missing.count,
            all: drawnRows.length,
            keys: listed(missing.keys, t("noValue")),
          })}{" "}
        {skipped > 0 && t("mapSkipped", { count: skipped })}{" "}
        {repeated.length > 0 &&
          t("mapRepeated", { count: repeated.length, names: listed(namesOf(repeated, shapes.data), "") })}
      </p>
      <p class="basis">
        {t("mapBoundaries")} <a href="https://www.kartverket.no/">© Kartverket</a>,{" "}
        <a href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</a>
      </p>
    </>
  );
}

const MAX_LISTED = 10;

/** Returns the first texts, separated by commas. @param nothing replaces an empty text */
function listed(texts: readonly string[], nothing: string): string {
  const first = texts.slice(0, MAX_LISTED).map((text) => visible(shortened(text, 40).text) || nothing);
  return [...first, ...(texts.length > MAX_LISTED ? ["…"] : [])].join(", ");
}

function namesOf(ids: readonly string[], { areas }: Shapes): string[] {
  return areas.filter(({ properties: { id } }) => ids.includes(id)).map(({ properties: { name } }) => name);
}
