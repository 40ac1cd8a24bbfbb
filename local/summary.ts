import path from "node:path";
import Table from "cli-table3";
import type { SampleUser } from "../config/settings.ts";
import { sentence, problemLines } from "../ops/checks/verify/report.ts";
import type { Report } from "../ops/checks/verify/verify.ts";
import type { AlreadyRunning } from "./platform/data.ts";

/** What was asked and answered, and every check that did not hold. */
export function describeReport({ routes, checks }: Report, timings: Readonly<Record<string, number>>): string {
  const table = new Table({ head: ["URL", "protection", "answered"], style: { head: [], border: [] } });
  for (const { url, protection, status, answered } of routes) table.push([url, protection, answered || String(status)]);
  const seconds = Object.entries(timings).map(([name, ms]) => `${name} ${(ms / 1000).toFixed(1)} s`);
  const lines = [
    table.toString(),
    `${sentence(checks)} (${seconds.join(", ")})`,
    ...problemLines(checks, "failed", (_, text) => text),
  ];
  return `${lines.join("\n")}\n`;
}

/** Who can sign in, and the command that shows the password: a password itself stays off the screen. */
export function describeUsers(data: string, users: readonly SampleUser[]): string {
  if (users.length === 0) return "";
  const file = path.join(data, "variables.json");
  const lines = users.map(({ username, groups, password }) => {
    const show = password.variables.map((name) => `node -p 'require("${file}").${name}'`).join("; ");
    return `  ${username} (${groups.join(", ") || "no groups"}), password: ${show}`;
  });
  return `Sign in as\n${lines.join("\n")}\n`;
}

/** The platform that is there already. */
export function describeRunning({ message, running }: AlreadyRunning): string {
  const urls = running?.urls ?? [];
  return [`${message}.`, ...(urls.length > 0 ? urls : ["It is not ready yet."])].map((line) => `${line}\n`).join("");
}
