// Plain JavaScript without packages: the launcher uses it before they are installed.
import process from "node:process";

/** Returns whether Ctrl-C can reach this process from a terminal, which then sends it to the child processes, too. Any stream can be redirected. */
export function hasTerminal() {
  return [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
}
