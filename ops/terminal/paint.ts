import { styleText } from "node:util";

export type Paint = (format: "red" | "green" | "yellow" | "bold" | "dim", text: string) => string;

/** Returns a formatter. @param colours whether the output supports colours; otherwise texts are unchanged */
export function painter(colours: boolean): Paint {
  return (format, text) => (colours ? styleText(format, text, { validateStream: false }) : text);
}
