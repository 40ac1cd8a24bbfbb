import { styleText } from "node:util";

export type Paint = (format: "red" | "green" | "yellow" | "bold" | "dim", text: string) => string;

/** How results are marked: passed, failed or an error, skipped or a warning. */
const SIGNS = { passed: ["green", "✔"], failed: ["red", "✖"], skipped: ["yellow", "–"] } as const;

/** Returns the sign of a result, in its colour. */
export function signOf(result: keyof typeof SIGNS, paint: Paint): string {
  const [colour, sign] = SIGNS[result];
  return paint(colour, sign);
}

/** Returns a formatter. @param colours whether the output supports colours; otherwise texts are unchanged */
export function painter(colours: boolean): Paint {
  return (format, text) => (colours ? styleText(format, text, { validateStream: false }) : text);
}
