/**
 * Outlives the process that started the platform, whatever ends it: when the pipe to it closes, every process of its run is killed.
 * Argument: the run's mark.
 */
import { killMarked } from "./sweep.ts";

const [run] = process.argv.slice(2);
if (!run) throw new Error("usage: keeper.ts MARK");
process.stdin.resume().on("close", () => void killMarked(run));
