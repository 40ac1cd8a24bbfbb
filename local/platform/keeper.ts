/**
 * Kills every process of a run when the process that started the platform ends, which closes the pipe to this one. Argument: the run's
 * mark.
 */
import { killMarked } from "./sweep.ts";

const [run] = process.argv.slice(2);
if (!run) throw new Error("usage: keeper.ts MARK");
process.stdin.resume().on("close", () => void killMarked(run));
