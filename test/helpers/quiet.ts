import type { Progress } from "../../ops/terminal/progress.ts";

/** A progress without output. */
export const quiet: Progress = { step: (_title, work) => work(() => undefined), note: () => undefined };
