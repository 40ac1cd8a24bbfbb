/** Prints the errors, the last exchanges and the problems of Pods of a test that failed. Vitest runs this file before each file of tests. */
import { beforeEach } from "vitest";
import { describe, forget } from "./exchanges.ts";
import { describePodLogs } from "./podLogs.ts";

beforeEach(({ onTestFailed }) => {
  forget();
  onTestFailed(({ task }) => {
    // Vitest prints errors at the end of the run only, which an aborted run does not reach.
    const errors = (task.result?.errors ?? []).map(({ message, diff = "" }) => `${message}\n${diff}`);
    console.error(
      [`"${task.name}" failed:`, ...errors, "Last exchanges:", ...describe(), "Pods:", ...describePodLogs()].join("\n"),
    );
  });
});
