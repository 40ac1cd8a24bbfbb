/** Kills every process of a run when the process that started the platform ends, which closes the pipe to this one. Argument: the tag of the run. */
import { killTagged } from "./processTag.ts";

const [tag] = process.argv.slice(2);
if (!tag) throw new Error("usage: reaper.ts TAG");
process.stdin.resume().on("close", () => void killTagged(tag));
