import { styleText } from "node:util";

export type Paint = (format: "red" | "green" | "yellow" | "bold" | "dim", text: string) => string;

/** How results are marked: passed, failed or an error, skipped or a warning. */
export const SIGNS = { passed: "✔", failed: "✖", skipped: "–" } as const;
const COLOURS = { passed: "green", failed: "red", skipped: "yellow" } as const;

/** Returns the sign of a result, in its colour. */
export function signOf(result: keyof typeof SIGNS, paint: Paint): string {
  return paint(COLOURS[result], SIGNS[result]);
}

/** Returns the formatter of an output, which has colours on a terminal that supports them (NO_COLOR). */
export function painterOf(output: Partial<Pick<NodeJS.WriteStream, "isTTY" | "hasColors">>): Paint {
  return painter(output.isTTY === true && output.hasColors?.() === true);
}

/** Returns a formatter. @param colours whether the output supports colours; otherwise texts are unchanged */
export function painter(colours: boolean): Paint {
  return (format, text) => (colours ? styleText(format, text, { validateStream: false }) : text);
}
