/** What the report of a failed test contains: pods, events and the last lines of the logs. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { inject } from "vitest";
import { core } from "./kubernetes.ts";

const LINES = 12;
const EVENTS = 25;
const POD_LOGS = "/var/log/pods";

export async function describeCluster(): Promise<string> {
  const [pods, events] = await Promise.all([core().listPodForAllNamespaces(), core().listEventForAllNamespaces()]);
  const podLines = pods.items.map(({ metadata, status }) => {
    const [container] = status?.containerStatuses ?? [];
    const state = JSON.stringify(container?.state ?? {});
    return `  ${metadata?.namespace}/${metadata?.name} ${status?.phase} ready=${container?.ready} restarts=${container?.restartCount} ${state}`;
  });
  const warnings = events.items.filter(({ type }) => type !== "Normal").slice(-EVENTS);
  const eventLines = warnings.map(
    ({ involvedObject, reason, message }) => `  ${involvedObject.name} ${reason}: ${message}`,
  );
  return ["Pods", ...podLines, "Events", ...eventLines, ...logLines()].join("\n");
}

function logLines(): string[] {
  const { logs } = inject("cluster");
  const own = readdirSync(logs).map((name) => path.join(logs, name));
  const files = readdirSync(POD_LOGS, { recursive: true, encoding: "utf8" }).map((name) => path.join(POD_LOGS, name));
  return [...own.filter((file) => file.includes("command-")), ...files]
    .filter((file) => file.endsWith(".log") && statSync(file).size > 0)
    .flatMap((file) => {
      const lines = readFileSync(file, "utf8").trimEnd().split("\n").slice(-LINES);
      return [file, ...lines.map((line) => `  ${line.slice(0, 400)}`)];
    });
}
