/** `npm run stop [-- --purge]`: ends the platform that runs on the data folder; with `--purge` also removes the folder. */
import { existsSync, rmSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { errorText } from "../config/errors/errorText.ts";
import { dataFolder } from "../ops/toolchain/paths.ts";
import { parseOptions } from "./options.ts";
import { isDataFolder } from "../ops/toolchain/dataFolder.ts";
import { openDataFolder, readRunning } from "./platform/data.ts";
import { signalProcess, startTime } from "./platform/procfs.ts";
import { killTagged } from "./platform/processTag.ts";

/** How long a platform may take to end by itself, in milliseconds. */
const GRACE = 20_000;

const options = parseOptions<{ purge?: true }>("npm run stop --", (command) =>
  command
    .description("Stop the platform that runs on the data folder ($GATEHOUSE_DATA).")
    .option("--purge", "also remove the data folder"),
);
const data = dataFolder();
try {
  console.error((await stop()) ? `Stopped the platform on ${data}.` : `No platform runs on ${data}.`);
  if (options.purge) await purge();
} catch (error) {
  console.error(errorText(error));
  process.exitCode = 1;
}

/** @returns whether there was one */
async function stop(): Promise<boolean> {
  const running = readRunning(data);
  if (!running) return false;
  signalProcess(running.pid, "SIGTERM");
  const deadline = Date.now() + GRACE;
  const isAlive = (): boolean => startTime(running.pid) === running.startTime;
  while (isAlive() && Date.now() < deadline) await pause(50);
  if (isAlive()) signalProcess(running.pid, "SIGKILL"); // its reaper kills the rest
  return true;
}

async function purge(): Promise<void> {
  if (!existsSync(data)) {
    console.error(`${data} does not exist.`);
    return;
  }
  if (!isDataFolder(data)) throw new Error(`${data} is not a data folder of Gatehouse: nothing was removed.`);
  const folder = await openDataFolder(data);
  await killTagged(`${folder.path}:`);
  rmSync(folder.path, { recursive: true });
  folder.release();
  console.error(`Removed ${data}.`);
}
