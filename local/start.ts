/** `npm start [-- --once] [--json]`: starts the platform, deploys the local stack, and verifies every route. */
import { errorText } from "../config/errors/errorText.ts";
import { openContext, readStack, type ShellEnvironment } from "../ops/context/context.ts";
import { ownDatabase } from "../ops/clients/databaseAddress.ts";
import { LockFolder } from "../ops/checks/contract/lockFolder.ts";
import { Recording } from "../ops/deployment/recording.ts";
import { verifyDeployment } from "../ops/deployment/verification.ts";
import { packageFolder } from "../config/files/folders.ts";
import { dataFolder } from "../ops/toolchain/paths.ts";
import { runPolicy } from "../ops/engine/policyPack.ts";
import { ignoreClosedOutput } from "../ops/terminal/closedOutput.ts";
import { jsonText } from "../ops/text.ts";
import { createProgress, type Progress } from "../ops/terminal/progress.ts";
import { brokenContracts, type DatabaseTarget } from "../ops/checks/verify/database.ts";
import type { Report } from "../ops/checks/verify/verify.ts";
import { deploy, type LocalStack, openLocal } from "./deploy.ts";
import { describeAuthentik } from "./platform/authentik.ts";
import { AlreadyRunning, writeRunning } from "./platform/data.ts";
import { parseOptions } from "./options.ts";
import { type Platform, startPlatform, type StartedPlatform } from "./platform/platform.ts";
import { deployApplications } from "./sample/applications.ts";
import { loadSampleOf } from "./sample.ts";
import { describeReport, describeRequest, describeRunning, describeUsers } from "./summary.ts";
import { UserError } from "../config/errors/userError.ts";

interface Options {
  readonly once?: true;
  readonly json?: true;
}

/** One run of `npm start`: the platform, and how the process ends. */
class LocalRun {
  readonly #options: Options;
  readonly #progress: Progress = createProgress();
  readonly #recording = new Recording(this.#progress);
  #platform: StartedPlatform | undefined;
  #isUp = false;
  #leaving: Promise<void> | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Runs until a signal, the end of the parent process or a failure, and ends the process. */
  async run(): Promise<void> {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
      process.on(signal, () => {
        // The launcher sends the signal again if no stream is a terminal. A later one ends the process at once.
        setTimeout(() => process.removeAllListeners(signal), 1000).unref();
        void this.#leave(this.#isUp && !this.#options.once ? 0 : 1);
      });
    this.#stopWithParent();
    try {
      await this.#leave((await this.#start()) ? 0 : 1);
    } catch (error) {
      // Once it is ending, whatever was under way fails for that reason alone.
      if (!this.#leaving) process.stderr.write(`\n${errorText(error)}\n`);
      await this.#leave(1);
    }
  }

  /** @returns whether every check passed, or a platform was running already */
  async #start(): Promise<boolean> {
    let platform: StartedPlatform;
    try {
      const starting = (): Promise<StartedPlatform> => startPlatform({ data: dataFolder(), progress: this.#progress });
      platform = this.#platform = await this.#recording.timed("platform", starting);
    } catch (error) {
      if (!(error instanceof AlreadyRunning) || this.#options.once || this.#options.json) throw error;
      process.stderr.write(describeRunning(error));
      return true;
    }
    const failed = platform.failed.then((error) => Promise.reject(error));
    const report = await Promise.race([failed, this.#deployAndVerify(platform)]);
    const passed = report.checks.every(({ ok }) => ok);
    if (this.#options.once) return passed;
    this.#isUp = true;
    this.#progress.note("Running until Ctrl-C, or npm run stop in another terminal.");
    return failed;
  }

  async #deployAndVerify(running: Platform): Promise<Report> {
    const progress = this.#progress;
    progress.note(describeAuthentik(running.authentik));
    const local = await openLocal(running);
    const applications = await this.#recording.timed("applications", () => deployApplications(running));
    const shell: ShellEnvironment = { project: packageFolder(), data: running.data, environment: process.env };
    const database = databaseTarget(local, shell);
    // No schema is complete: the sample is loaded after the deployment.
    const broken = local.plan.data && database ? await brokenContracts(database, local.plan.data, []) : [];
    if (broken.length > 0) throw new UserError(`nothing was deployed:\n${broken.join("\n")}`);
    await this.#recording.timed("deploy", () => deploy(local, progress, runPolicy()));
    const sample = (): Promise<unknown> => Promise.all([loadSampleOf(running, local), applications.update()]);
    await this.#recording.timed("sample", () => progress.step("Sample data and applications", sample));
    const context = openContext(running.context, shell);
    const report = await this.#recording.timed("verify", () => verifyDeployment(context, shell, progress));
    const urls = local.plan.exposures.map(({ url }) => url);
    writeRunning(running.data, urls);
    process.stdout.write(this.#output(report, running, local));
    return report;
  }

  #output(report: Report, { data }: Platform, { settings, plan }: LocalStack): string {
    const timings = Object.fromEntries(this.#recording.parts.map(({ name, ms }) => [name, ms]));
    if (this.#options.json) return jsonText({ ...report, timings });
    const dataApi = plan.exposures.filter(({ role }) => role === "data-api");
    return [
      describeReport(report, timings),
      describeUsers(data, settings.identityProvider.sampleUsers),
      ...dataApi.map(({ url }) => describeRequest(url)),
    ].join("");
  }

  /** Stops everything and ends the process; the first code counts. */
  #leave(code: number): Promise<void> {
    this.#leaving ??= (this.#platform?.stop() ?? Promise.resolve()).then(() => process.exit(code));
    return this.#leaving;
  }

  /** A killed launcher forwards no signal, but this process gets another parent. */
  #stopWithParent(): void {
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && void this.#leave(1), 500).unref();
  }
}

function databaseTarget({ settings }: LocalStack, shell: ShellEnvironment): DatabaseTarget | undefined {
  if (!settings.dataApi) return undefined;
  return {
    connection: ownDatabase(readStack(settings.stack, shell)),
    contracts: new LockFolder(shell.project, settings.stack),
  };
}

const options = parseOptions<Options>("npm start --", (command) =>
  command
    .description("Start the platform, deploy the local stack, verify every route, and run until Ctrl-C.")
    .option("--once", "stop after the verification; exit with 1 if a check failed")
    .option("--json", "print the report of the verification as JSON"),
);
ignoreClosedOutput();
await new LocalRun(options).run();
