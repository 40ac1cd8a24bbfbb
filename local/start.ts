/** `npm start [-- --once] [--json]`: starts the platform, deploys the local stack, and verifies every route. */
import { errorText } from "../config/errorText.ts";
import { openContext, readStack, type ShellEnvironment } from "../ops/context/context.ts";
import { ownDatabase } from "../ops/clients/databaseAddress.ts";
import { LockFolder } from "../ops/checks/contract/lockFolder.ts";
import { verifyDeployment } from "../ops/engine/deployment/verification.ts";
import { packageFolder } from "../config/folders.ts";
import { dataFolder } from "../ops/toolchain/paths.ts";
import { runPolicy } from "../ops/engine/policyPack.ts";
import { ignoreClosedOutput } from "../ops/terminal/closedOutput.ts";
import { createProgress } from "../ops/terminal/progress.ts";
import { type DatabaseTarget, refuseBrokenContract } from "../ops/checks/verify/database.ts";
import type { Report } from "../ops/checks/verify/verify.ts";
import { deploy, type LocalStack, openLocal } from "./deploy.ts";
import { describeAuthentik } from "./platform/authentik.ts";
import { AlreadyRunning, writeRunning } from "./platform/data.ts";
import { parseOptions } from "./options.ts";
import { type Platform, startPlatform, type StartedPlatform } from "./platform/platform.ts";
import { deployApplications } from "./sample/applications.ts";
import { loadSampleOf } from "./sample.ts";
import { describeReport, describeRunning, describeUsers } from "./summary.ts";

const options = parseOptions<{ once?: true; json?: true }>("npm start --", (command) =>
  command
    .description("Start the platform, deploy the local stack, verify every route, and run until Ctrl-C.")
    .option("--once", "stop after the verification; exit with 1 if a check failed")
    .option("--json", "print the report of the verification as JSON"),
);
const progress = createProgress();
const timings: Record<string, number> = {};
let platform: StartedPlatform | undefined;
let up = false;
let leaving: Promise<void> | undefined;

ignoreClosedOutput();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.once(signal, () => void leave(up && !options.once ? 0 : 1));
stopWithParent();

try {
  await leave((await start()) ? 0 : 1);
} catch (error) {
  // Once it is ending, whatever was under way fails for that reason alone.
  if (!leaving) process.stderr.write(`\n${errorText(error)}\n`);
  await leave(1);
}

/** @returns whether every check passed, or a platform was running already */
async function start(): Promise<boolean> {
  try {
    platform = await timed("platform", () => startPlatform({ data: dataFolder(), progress }));
  } catch (error) {
    if (!(error instanceof AlreadyRunning) || options.once) throw error;
    process.stderr.write(describeRunning(error));
    return true;
  }
  const failed = platform.failed.then((error) => Promise.reject(error));
  const report = await Promise.race([failed, deployAndVerify(platform)]);
  const passed = report.checks.every(({ ok }) => ok);
  if (options.once) return passed;
  up = true;
  progress.note("Running until Ctrl-C, or npm run stop in another terminal.");
  return failed;
}

async function deployAndVerify(running: Platform): Promise<Report> {
  progress.note(describeAuthentik(running.authentik));
  const local = await openLocal(running);
  const applications = await timed("applications", () => deployApplications(running));
  const database = databaseTarget(running, local);
  if (local.plan.data && database) await refuseBrokenContract(database, local.plan.data);
  await timed("deploy", () => deploy(local, progress, runPolicy()));
  const sample = (): Promise<unknown> => Promise.all([loadSampleOf(running, local), applications.update()]);
  await timed("sample", () => progress.step("Sample data and applications", sample));
  const shell: ShellEnvironment = { project: packageFolder(), data: running.data, environment: process.env };
  const context = openContext(running.context, shell);
  const report = await timed("verify", () => verifyDeployment(context, shell, progress));
  const urls = local.plan.exposures.map(({ url }) => url);
  writeRunning(running.data, urls);
  process.stdout.write(
    options.json ? `${JSON.stringify({ ...report, timings }, undefined, 2)}\n` : describeReport(report, timings),
  );
  if (!options.json) process.stdout.write(describeUsers(running.data, local.settings.identityProvider.sampleUsers));
  return report;
}

function databaseTarget({ data }: Platform, { settings }: LocalStack): DatabaseTarget | undefined {
  if (!settings.dataApi) return undefined;
  const shell = { project: packageFolder(), data, environment: process.env };
  return {
    connection: ownDatabase(readStack(settings.stack, shell)),
    contracts: new LockFolder(shell.project, settings.stack),
  };
}

/** Milliseconds of each part, for the report. */
async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const since = performance.now();
  try {
    return await work();
  } finally {
    timings[name] = Math.round(performance.now() - since);
  }
}

/** Stops everything and ends the process; the first code counts. */
function leave(code: number): Promise<void> {
  leaving ??= (platform?.stop() ?? Promise.resolve()).then(() => process.exit(code));
  return leaving;
}

/** A killed npm forwards no signal, but this process gets another parent. */
function stopWithParent(): void {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && void leave(1), 500).unref();
}
