import path from "node:path";
import type { Processes } from "../platform/processes.ts";

/** Starts the agent as a separate process, so that a busy starter does not slow the services; returns when it has taken over all Pods. */
export async function startAgent(
  processes: Processes,
  {
    data,
    kubeconfig,
    pods,
    authentik,
  }: { data: string; kubeconfig: string; pods: string; authentik: string | undefined },
): Promise<void> {
  const main = path.join(import.meta.dirname, "main.ts");
  let ready = false;
  processes
    .start(
      {
        name: "agent",
        command: process.execPath,
        args: [main, data, kubeconfig, pods, authentik ?? ""],
        stopSignal: "SIGTERM",
      },
      "ipc",
    )
    .once("message", () => (ready = true));
  await processes.until("agent", () => Promise.resolve(ready));
}
