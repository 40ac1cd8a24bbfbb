import { mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { type EngineEvent, PulumiCommand, type PulumiFn, type Stack } from "@pulumi/pulumi/automation/index.js";
import { parseStack, readStackFile } from "../config/load.ts";
import type { Settings } from "../config/settings.ts";
import program from "../infra/index.ts";
import { computePlan } from "../infra/plan/plan.ts";
import type { Plan } from "../infra/plan/types.ts";
import { buildCatalog } from "../ops/catalog.ts";
import { openStack, type StackOptions } from "../ops/engine.ts";
import { JOURNAL_ABOVE, journaled } from "../ops/journal.ts";
import { projectFolder, pulumiHome } from "../ops/paths.ts";
import type { Progress } from "../ops/progress.ts";
import { recoverInterrupted } from "../ops/recover.ts";
import { localSecret } from "./platform/data.ts";
import type { Platform } from "./platform/platform.ts";
import { secretVariables, type Variables } from "./variables.ts";

/** The `local` stack, opened on a running platform. */
export interface LocalStack {
  readonly stack: Stack;
  readonly settings: Settings;
  readonly plan: Plan;
  /** The secret template variables in clear. */
  readonly variables: Variables;
}

/**
 * Opens the `local` stack with the real engine: file backend, passphrase and workspace all in the platform's data folder.
 * @param changes config that stands in for what the stack file says, by full key
 */
export async function openLocal(
  platform: Platform,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<LocalStack> {
  const overrides = {
    ...changes,
    "variables:HTTP_PORT": String(platform.httpPort),
    "variables:POSTGRES_HOST": platform.postgres.host,
    "variables:POSTGRES_PORT": String(platform.postgres.port),
  };
  const raw = readStackFile(join(projectFolder(), "Pulumi.local.yaml"), "local");
  const config = { ...raw.config };
  for (const [key, value] of Object.entries(overrides)) {
    config[key] = { value };
  }
  const found = parseStack({ ...raw, config }, process.env, { secretsRequired: false });
  const given = { ...process.env, POSTGRES_PASSWORD: platform.postgres.password };
  const variables = await secretVariables(platform.data, found, given);
  // The program runs in this process and looks its variables up where a deploying shell has them.
  Object.assign(process.env, variables);
  const settings = parseStack({ ...raw, config }, process.env);

  const stack = await openStack({ ...(await engineOptions(platform)), stack: "local", program, overrides });
  return { stack, settings, plan: computePlan(settings), variables };
}

/** Opens a stack of its own name for another program on the same platform. */
export async function openProgram(platform: Platform, stack: string, other: PulumiFn): Promise<Stack> {
  const workspace = join(platform.data, `workspace-${stack}`);
  return openStack({ ...(await engineOptions(platform)), workspace, stack, program: other });
}

async function engineOptions(platform: Platform): Promise<Pick<StackOptions, "command" | "workspace" | "environment">> {
  await mkdir(join(platform.data, "state"), { recursive: true, mode: 0o700 });
  const workspace = join(platform.data, "workspace");
  return { command: await pulumiCommand(platform), workspace, environment: engineEnvironment(platform) };
}

/** The CLI where the Automation API looks for one: in `bin/` of a folder. */
async function pulumiCommand(platform: Platform): Promise<PulumiCommand> {
  const root = join(platform.data, "pulumi");
  await mkdir(join(root, "bin"), { recursive: true });
  await rm(join(root, "bin", "pulumi"), { force: true });
  await symlink(platform.tools.pulumi, join(root, "bin", "pulumi"));
  return PulumiCommand.get({ root, skipVersionCheck: true });
}

function engineEnvironment(platform: Platform): Record<string, string> {
  const [mark, markValue] = platform.mark;
  return {
    PATH: `${platform.pluginPath}:${process.env["PATH"] ?? ""}`,
    KUBECONFIG: platform.kubeconfig,
    PULUMI_HOME: pulumiHome(),
    PULUMI_BACKEND_URL: `file://${join(platform.data, "state")}`,
    PULUMI_CONFIG_PASSPHRASE: localSecret(platform.data, "passphrase"),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    [mark]: markValue,
  };
}

/** What a run of the engine did: how many resources it created, updated, left and so on. */
export type Changes = Readonly<Record<string, number>>;

/** A stack whose program has a plan, or one of another program. */
type Deployable = Pick<LocalStack, "stack"> & Partial<Pick<LocalStack, "plan">>;

/** Brings the stack up, taking over first what a killed run left behind; builds the catalogue that it deploys. */
export async function deploy(local: Deployable, progress: Progress): Promise<Changes> {
  if (local.plan?.exposures.some(({ role }) => role === "catalog")) await buildCatalog(progress);
  return progress.step("Deploying the local stack", (report) => run(local, "up", report), "15 s");
}

/** Removes everything that the stack deployed, or that a killed run left behind. */
export function destroy(local: Deployable, progress: Progress): Promise<Changes> {
  return progress.step("Removing the local stack", (report) => run(local, "destroy", report), "20 s");
}

async function run({ stack, plan }: Deployable, verb: "up" | "destroy", report: Report): Promise<Changes> {
  await stack.cancel().catch(() => undefined);
  await recoverInterrupted(stack);
  const work = (): Promise<Changes> => withErrors(report, (watch) => stack[verb](watch));
  return (plan?.exposures.length ?? 0) > JOURNAL_ABOVE ? journaled(stack, work) : work();
}

type Report = (detail: string) => void;

/** What a run of the engine is watched with. */
interface Watch {
  readonly onEvent: (event: EngineEvent) => void;
  readonly signal: AbortSignal;
}

/**
 * Runs the engine, reports each step, and tells a failure by the errors of the run instead of its whole output. An inline program that
 * throws once it has begun would leave the engine waiting for ever, so such a run is stopped.
 * @returns what changed
 * @throws Error with the errors, each with the resource it belongs to
 */
async function withErrors(report: Report, run: (watch: Watch) => Promise<unknown>): Promise<Changes> {
  let changes: Changes = {};
  const errors = new Set<string>();
  const abort = new AbortController();
  const stop = (reason: unknown): void => {
    errors.add(reason instanceof Error ? reason.message : String(reason));
    abort.abort();
  };
  const onEvent = ({ resourcePreEvent, diagnosticEvent, summaryEvent }: EngineEvent): void => {
    if (summaryEvent) {
      changes = summaryEvent.resourceChanges ?? {};
    }
    if (resourcePreEvent && resourcePreEvent.metadata.op !== "same") {
      report(`${resourcePreEvent.metadata.op} ${nameOf(resourcePreEvent.metadata.urn)}`);
    }
    if (diagnosticEvent?.severity === "error") {
      errors.add(`${nameOf(diagnosticEvent.urn)}: ${stripVTControlCharacters(diagnosticEvent.message).trim()}`);
    }
  };
  process.on("unhandledRejection", stop);
  try {
    await run({ onEvent, signal: abort.signal });
    return changes;
  } catch (error) {
    throw errors.size === 0 ? error : new Error(`the engine stopped:\n${[...errors].join("\n")}`, { cause: error });
  } finally {
    process.off("unhandledRejection", stop);
  }
}

function nameOf(urn: string | undefined): string {
  return urn?.split("::").at(-1) ?? "";
}
