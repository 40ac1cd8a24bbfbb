import {
  BarController,
  BarElement,
  CategoryScale,
  Chart as ChartJs,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  type Scale,
  Tooltip,
} from "chart.js";
import type { VNode } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useText } from "../../i18n/text.tsx";
import { shortened, visible } from "../../text/visible.ts";
import { type Drawing, rankedLabels } from "./series.ts";
import { useThemeChanges } from "./theme.ts";
import { areInUtc, ticksOf } from "./times.ts";

ChartJs.register(
  BarController,
  BarElement,
  CategoryScale,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
);

/** A point of Chart.js, and its label. */
interface Point {
  readonly label: string;
  readonly x: number | string | null;
  readonly y: number | string | null;
}

interface Props {
  readonly drawing: Drawing;
  readonly kind: "line" | "bar";
  /** The alternative text for screen readers. */
  readonly label: string;
}

// Colours that users with colour blindness can distinguish (Okabe and Ito), with similar contrast on a light and a dark page.
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8c7a00", "#56b4e9", "#e69f00", "#7f7f7f"];

/**
 * Width of a chart in pixels for each character of a name at its axis. Names take half of the width at most; Chart.js cuts off the start of
 * a longer one.
 */
const WIDTH_PER_CHARACTER = 15;

/** Draws rows with Chart.js. A separate module, so that a page without a chart does not load it. */
export default function Chart({ drawing, kind, label }: Props): VNode {
  const { t, dataNumber } = useText();
  const canvas = useRef<HTMLCanvasElement>(null);
  const themeChanges = useThemeChanges();
  const ranked = useMemo(() => (kind === "bar" ? rankedLabels(drawing) : null), [drawing, kind]);
  useEffect(() => {
    if (canvas.current === null) return;
    const style = getComputedStyle(canvas.current);
    const grid = { color: style.getPropertyValue("--pico-muted-border-color") };
    const ticks = { color: style.color };
    // A linear axis needs two different times.
    const positions = kind === "line" && drawing.labels.length > 1 ? drawing.positions : null;
    const categories = {
      grid,
      type: "category" as const,
      ticks: {
        ...ticks,
        callback(this: Scale, value: number | string) {
          return named(this.getLabelForValue(Number(value)), Math.floor(this.chart.width / WIDTH_PER_CHARACTER));
        },
      },
    };
    const chart = new ChartJs<"line" | "bar", readonly Point[]>(canvas.current, {
      type: kind,
      data: {
        labels: [...(ranked ?? drawing.labels)],
        datasets: drawing.series.map(({ name, points }, index) => ({
          label: named(name, 60) || t("noValue"),
          data: points.map(({ x, y }) => ({
            label: x,
            ...(ranked ? { x: y, y: x } : { x: positions?.get(x) ?? x, y }),
          })),
          backgroundColor: COLOURS[index] ?? "",
          borderColor: COLOURS[index] ?? "",
          showLine: !drawing.repeated,
          // Without this, half of the first and of the last point is cut off.
          clip: false as const,
        })),
      },
      options: {
        indexAxis: ranked ? "y" : "x",
        animation: false,
        locale: document.documentElement.lang,
        responsive: true,
        maintainAspectRatio: false,
        plugins: {
          legend: { display: drawing.series.length > 1, labels: ticks },
          tooltip: {
            callbacks: {
              title: ([item]) => named((item?.raw as Point | undefined)?.label ?? "", 60),
              label: ({ dataset, parsed }) =>
                `${dataset.label ?? ""}: ${dataNumber((ranked ? parsed.x : parsed.y) ?? Number.NaN)}`,
            },
          },
        },
        scales: ranked
          ? {
              x: { grid, ticks, beginAtZero: true },
              y: { ...categories, ticks: { ...categories.ticks, autoSkip: false } },
            }
          : {
              x: positions ? timeAxis(drawing, { grid, ticks }) : categories,
              y: { grid, ticks, beginAtZero: kind === "bar" },
            },
      },
    });
    return () => chart.destroy();
  }, [drawing, kind, ranked, themeChanges, t, dataNumber]);
  return (
    <div class="chart">
      <canvas ref={canvas} role="img" aria-label={label} />
    </div>
  );
}

/** Returns an axis with times at their distances, and times of the rows as ticks. */
function timeAxis({ labels, positions }: Drawing, style: { grid: object; ticks: { color: string } }) {
  const ticks = ticksOf({ labels, positions });
  const values = [...(positions?.values() ?? [])];
  return {
    ...style,
    type: "linear" as const,
    min: values[0] ?? 0,
    max: values.at(-1) ?? 0,
    title: { display: areInUtc(labels), text: "UTC", color: style.ticks.color },
    afterBuildTicks: (scale: Scale) => {
      scale.ticks = ticks.map(({ value }) => ({ value }));
    },
    ticks: { ...style.ticks, callback: (value: unknown) => ticks.find((tick) => tick.value === value)?.text ?? "" },
  };
}

/** Returns a text of the data, cut to a number of characters. */
function named(text: string, length: number): string {
  const { text: start, cut } = shortened(text, length);
  return visible(start) + (cut ? " …" : "");
}
