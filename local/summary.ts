import path from "node:path";
import Table from "cli-table3";
import type { SampleUser } from "../config/settings.ts";
import { sentence, problemLines } from "../ops/checks/verify/report.ts";
import type { Report } from "../ops/checks/verify/verify.ts";
import type { AlreadyRunning } from "./platform/data.ts";

/** Returns the table of routes with their responses, and every check that failed. */
export function describeReport({ routes, checks }: Report, timings: Readonly<Record<string, number>>): string {
  const table = new Table({ head: ["URL", "protection", "response"], style: { head: [], border: [] } });
  for (const { url, protection, status, answered } of routes) table.push([url, protection, answered || String(status)]);
  const seconds = Object.entries(timings).map(([name, ms]) => `${name} ${(ms / 1000).toFixed(1)} s`);
  const lines = [
    table.toString(),
    `${sentence(checks)} (${seconds.join(", ")})`,
    ...problemLines(checks, "failed", (_, text) => text),
  ];
  return `${lines.join("\n")}\n`;
}

/** Returns a request to the data API, which works where the system does not resolve names below localhost. @param origin of the data API */
export function describeRequest(origin: string): string {
  const port = new URL(origin).port || "80";
  const url = new URL("/distrikt_summary?fylke_nr=eq.03", origin).href;
  return `Request the data API\n  curl --resolve '*:${port}:127.0.0.1' '${url}'\n`;
}

/** Returns the users that can sign in, each with the command that prints its password. */
export function describeUsers(data: string, users: readonly SampleUser[]): string {
  if (users.length === 0) return "";
  const file = path.join(data, "variables.json");
  const lines = users.map(({ username, groups, password }) => {
    const show = password.variables.map((name) => `node -p 'require("${file}").${name}'`).join("; ");
    return `  ${username} (${groups.join(", ") || "no groups"}), password: ${show}`;
  });
  return `Sign in as\n${lines.join("\n")}\n`;
}

/** Returns the message about a platform that is already running. */
export function describeRunning({ message, running }: AlreadyRunning): string {
  const urls = running?.urls ?? [];
  return [`${message}.`, ...(urls.length > 0 ? urls : ["It is not ready yet."])].map((line) => `${line}\n`).join("");
}
