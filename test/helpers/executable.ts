import { execFileSync } from "node:child_process";

/**
 * Writes an executable script in a separate process. The kernel runs no file that is open for writing (ETXTBSY), and a process that another
 * thread starts meanwhile inherits the open file; a shell then takes the next program of the name on PATH.
 */
export function writeExecutable(file: string, script: string): void {
  execFileSync("sh", ["-c", 'cat > "$0" && chmod 755 "$0"', file], { input: script });
}
