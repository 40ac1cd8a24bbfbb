/** One running platform with the `local` stack for all tests of the folder, started by the command of `npm start`. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { parse } from "yaml";
import { isAlive } from "../../local/platform/processes.ts";

/** Properties of the platform that tests can inject. */
interface RunningPlatform {
  readonly data: string;
  readonly urls: readonly string[];
  /** Secret template variables in clear. */
  readonly variables: Readonly<Record<string, string>>;
  /** Address of the platform's Postgres on loopback. */
  readonly postgresPort: number;
  /** Standard output and standard error of `npm start`. */
  readonly output: string;
}

declare module "vitest" {
  interface ProvidedContext {
    platform: RunningPlatform;
  }
}

const DEADLINE_MS = 1_800_000;

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const data = mkdtempSync(join(tmpdir(), "gatehouse-e2e-"));
  const starter = spawn(process.execPath, ["ops/launcher/launch.js", "local/start.ts"], {
    cwd: join(import.meta.dirname, "../.."),
    env: { ...process.env, GATEHOUSE_DATA: data },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [starter.stdout, starter.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  }
  try {
    const urls = await untilServing(starter, data, () => text);
    const variables = JSON.parse(readFileSync(join(data, "variables.json"), "utf8")) as Record<string, string>;
    const stack = parse(readFileSync(join(data, "workspace", "Pulumi.local.yaml"), "utf8")) as {
      config: Record<string, string>;
    };
    const postgresPort = Number(stack.config["variables:POSTGRES_PORT"]);
    project.provide("platform", { data, urls, variables, postgresPort, output: text });
  } catch (error) {
    await stop(starter);
    throw error;
  }
  return async () => {
    await stop(starter);
    rmSync(data, { recursive: true, force: true });
  };
}

async function untilServing(starter: ChildProcess, data: string, text: () => string): Promise<readonly string[]> {
  const deadline = Date.now() + DEADLINE_MS;
  while (Date.now() < deadline && isAlive(starter)) {
    const file = join(data, "running.json");
    const { urls } = (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { urls: [] }) as { urls: string[] };
    if (urls.length > 0) {
      return urls;
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error(`npm start did not come up:\n${text()}`);
}

async function stop(starter: ChildProcess): Promise<void> {
  if (isAlive(starter)) {
    starter.kill("SIGINT");
    await once(starter, "exit");
  }
}
