import { geoIdentity, geoPath } from "d3-geo";
import "./map.css";
import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { useText } from "../../i18n/text.tsx";
import type { Column } from "../../state/columns.ts";
import { compared } from "../../text/order.ts";
import { classesOf, classOf } from "./classes.ts";
import type { AreaShape, Shapes } from "./geometry.ts";
import { Legend, swatch } from "./Legend.tsx";

interface Props {
  readonly shapes: Shapes;
  readonly values: ReadonlyMap<string, number>;
  /** The column with the values. */
  readonly measure: Pick<Column, "name" | "description">;
  /** The alternative text for screen readers. */
  readonly label: string;
}

const WIDTH = 480;
const [MIN_HEIGHT, MAX_HEIGHT] = [260, 660];
const MARGIN = 6;

/** Draws areas in the colours of their values. Shows the value of the area that the user points at or selects from a list of names. */
export function AreaMap({ shapes, values, measure, label }: Props): VNode {
  const { t, dataNumber } = useText();
  const [pointed, setPointed] = useState<string | null>(null);
  const [chosen, setChosen] = useState("");
  const { path, height } = useMemo(() => fitted(shapes.areas, values), [shapes, values]);
  const classes = useMemo(() => classesOf([...values.values()]), [values]);
  const drawn = useMemo(
    () =>
      shapes.areas.map((area) => {
        const { id } = area.properties;
        const value = values.get(id);
        const tone = value === undefined ? undefined : classOf(classes, value)?.tone;
        return <path key={id} data-area={id} class={swatch(tone)} d={path(area) ?? ""} />;
      }),
    [shapes, values, classes, path],
  );
  const byName = useMemo(
    () => shapes.areas.toSorted((a, b) => compared(a.properties.name, b.properties.name)),
    [shapes],
  );
  const shown = shapes.areas.find(({ properties: { id } }) => id === (pointed ?? chosen));
  const idAt = ({ target }: Event): string | null => (target as Element).getAttribute("data-area");
  return (
    <div class="map">
      <Legend measure={measure} classes={classes} others={shapes.areas.length - values.size} />
      <div class="areas">
        <svg
          viewBox={`0 0 ${WIDTH} ${height}`}
          role="img"
          aria-label={label}
          onPointerOver={(event) => setPointed(idAt(event))}
          onPointerLeave={() => setPointed(null)}
          onClick={(event) => setChosen(idAt(event) ?? "")}
        >
          {drawn}
          <path class="borders" d={path(shapes.borders) ?? ""} />
          {shown && <path class="chosen" d={path(shown) ?? ""} />}
        </svg>
        <output for="area" style={shown && place(path.bounds(shown), height)}>
          {shown && (
            <>
              <strong>{shown.properties.name}</strong> {valueText(values.get(shown.properties.id))}
            </>
          )}
        </output>
      </div>
      <label>
        {t("mapArea")}
        <select id="area" value={chosen} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
          <option value="">{t("mapNoArea")}</option>
          {byName.map(({ properties: { id, name } }) => (
            <option key={id} value={id}>
              {name} ({id})
            </option>
          ))}
        </select>
      </label>
    </div>
  );

  function valueText(value: number | undefined): string {
    return value === undefined ? t("mapNoValue") : dataNumber(value);
  }
}

/**
 * Returns the path and the height of a map that is filled by the areas that have values, e.g. those of one county. Other areas are cut off.
 */
function fitted(
  areas: readonly AreaShape[],
  values: ReadonlyMap<string, number>,
): { path: ReturnType<typeof geoPath>; height: number } {
  const features = areas.filter(({ properties: { id } }) => values.has(id));
  const fit = { type: "FeatureCollection" as const, features };
  const projection = geoIdentity().reflectY(true).fitSize([WIDTH, Number.MAX_SAFE_INTEGER], fit);
  const [[, top], [, bottom]] = geoPath(projection).bounds(fit);
  const height = Math.round(Math.min(MAX_HEIGHT, Math.max(MIN_HEIGHT, bottom - top)));
  const extent: [[number, number], [number, number]] = [
    [MARGIN, MARGIN],
    [WIDTH - MARGIN, height - MARGIN],
  ];
  return { path: geoPath(projection.fitExtent(extent, fit)).digits(1), height };
}

/** Returns the position of the value of an area: above its middle, or below it at the top of the map, and never outside the map. */
function place([[left, top], [right, bottom]]: [[number, number], [number, number]], height: number) {
  const x = Math.min(Math.max((left + right) / 2 / WIDTH, 0), 1);
  const y = Math.min(Math.max((top + bottom) / 2 / height, 0), 1);
  return {
    left: `${x * 100}%`,
    top: `${y * 100}%`,
    transform: `translate(${-x * 100}%, ${y < 0.2 ? "60%" : "-160%"})`,
  };
}
