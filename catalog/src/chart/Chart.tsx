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
  Tooltip,
} from "chart.js";
import type { VNode } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { shortened, visible } from "../text/visible.ts";
import { type Drawing, rankedLabels } from "./series.ts";
import { useThemeChanges } from "./theme.ts";

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

interface Props {
  readonly drawing: Drawing;
  readonly kind: "line" | "bar";
  /** The alternative text for screen readers. */
  readonly label: string;
}

// Colours that users with colour blindness can distinguish (Okabe and Ito), of even weight on light and dark.
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8c7a00", "#56b4e9", "#e69f00", "#7f7f7f"];

/** The chart itself. A separate module, so that a page without a chart does not load it. */
export default function Chart({ drawing, kind, label }: Props): VNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const themeChanges = useThemeChanges();
  const ranked = useMemo(() => (kind === "bar" ? rankedLabels(drawing) : null), [drawing, kind]);
  useEffect(() => {
    if (canvas.current === null) return;
    const style = getComputedStyle(canvas.current);
    const grid = { color: style.getPropertyValue("--pico-muted-border-color") };
    const ticks = { color: style.color };
    const chart = new ChartJs(canvas.current, {
      type: kind,
      data: {
        labels: [...(ranked ?? drawing.labels)],
        datasets: drawing.series.map(({ name, points }, index) => ({
          label: visible(shortened(name, 60).text),
          data: points.map(({ x, y }) => (ranked ? { x: y, y: x } : { x, y })),
          backgroundColor: COLOURS[index] ?? "",
          borderColor: COLOURS[index] ?? "",
          showLine: !drawing.repeated,
        })),
      },
      options: {
        indexAxis: ranked ? "y" : "x",
        animation: false,
        locale: document.documentElement.lang,
        responsive: true,
        maintainAspectRatio: false,
        plugins: { legend: { display: drawing.series.length > 1, labels: ticks } },
        scales: {
          x: { grid, ticks, beginAtZero: ranked !== null },
          y: { grid, ticks: { ...ticks, autoSkip: ranked === null }, beginAtZero: kind === "bar" },
        },
      },
    });
    return () => chart.destroy();
  }, [drawing, kind, ranked, themeChanges]);
  return (
    <div class="chart">
      <canvas ref={canvas} role="img" aria-label={label} />
    </div>
  );
}
