import { styleText } from "node:util";

/** Sets a text off where a terminal shows it. */
export type Paint = (format: "red" | "green" | "yellow" | "bold" | "dim", text: string) => string;

/** @param colours only where a terminal shows them; else texts stay as they are */
export function painter(colours: boolean): Paint {
  return (format, text) => (colours ? styleText(format, text, { validateStream: false }) : text);
}
