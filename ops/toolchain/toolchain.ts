import type { Progress, Report } from "../terminal/progress.ts";
import { build } from "./build.ts";
import { download } from "./download.ts";
import { findInCache, findOnPath, UnsupportedError } from "./find.ts";
import { takeFromMirror } from "./mirror.ts";
import { platformProblem } from "../launcher/localPlatform.js";
import { withLock } from "./store.ts";
import {
  downloadFor,
  folderName,
  localVariant,
  type Machine,
  mirrorName,
  pinned,
  thisMachine,
  type Tool,
  type ToolName,
} from "./tools.ts";
import { errorText } from "../../config/errors/errorText.ts";
import { UserError } from "../../config/errors/userError.ts";

export type { ToolName } from "./tools.ts";

/**
 * Finds, downloads or builds the tools for a cluster and returns the absolute path of each. Looks on PATH, where Pulumi may have any version from its
 * minimum, then for the pinned version in the cache, in the mirror and at the publisher, and otherwise builds it from Go modules (docs/toolchain.md).
 * @param options `local`: builds the local variant, which takes less time because it lacks cloud providers. Not for a cluster, whose state or secrets
 *   may be stored at one of them
 * @throws UserError that lists every source tried for every tool that is not available
 */
export async function ensureTools<N extends ToolName>(
  names: readonly N[],
  progress: Progress,
  { local = false } = {},
): Promise<Record<N, string>> {
  const machine = { ...thisMachine(), local };
  const problem = local && platformProblem(machine.platform);
  if (problem) throw new UserError(problem);
  const paths = await obtainTools(names.map(pinned), machine, progress);
  return Object.fromEntries(names.map((name, i) => [name, paths[i]])) as Record<N, string>;
}

/**
 * Returns the path of a pinned tool on PATH or in the cache, and neither downloads nor builds it.
 * @param local whether the local variant suffices
 * @throws Error when it is not installed
 */
export async function installedTool(name: ToolName, local: boolean): Promise<string> {
  const tool = pinned(name);
  const { path } = await firstAvailable(LOCAL_SOURCES, tool, { ...thisMachine(), local });
  if (path !== undefined) return path;
  throw new Error(`${tool.name} ${tool.version} is neither on PATH nor in the cache`);
}

/** Returns the paths of tools as {@link ensureTools} does, for any tools on any machine. @returns paths in the order of the tools */
export async function obtainTools(tools: readonly Tool[], machine: Machine, progress: Progress): Promise<string[]> {
  const results = await Promise.all(tools.map((tool) => obtain(tool, machine, progress).catch(asUnavailable)));
  const missing = results.filter((result) => result instanceof UnavailableError);
  if (missing.length > 0) throw new UserError(explain(missing, machine));
  return results.filter((result) => typeof result === "string");
}

function asUnavailable(error: unknown): UnavailableError {
  if (error instanceof UnavailableError) return error;
  throw error;
}

type Source = readonly [name: string, obtain: (tool: Tool, machine: Machine, report: Report) => Promise<string>];

const LOCAL_SOURCES: readonly Source[] = [
  ["PATH", findOnPath],
  ["cache", findInCache],
];
const OTHER_SOURCES: readonly Source[] = [
  // Another run may have filled the cache while this one waited for the lock.
  ["cache", findInCache],
  ["mirror", takeFromMirror],
  ["official download", download],
  ["build from Go modules", buildVariant],
];

function buildVariant(tool: Tool, machine: Machine, report: Report): Promise<string> {
  return build(machine.local ? localVariant(tool) : tool, machine, report);
}

class UnavailableError extends Error {
  readonly tool: Tool;
  readonly tried: readonly Failure[];

  constructor(tool: Tool, tried: readonly Failure[]) {
    super(`${titleOf(tool)} is not available`);
    this.tool = tool;
    this.tried = tried;
  }
}

async function obtain(tool: Tool, machine: Machine, progress: Progress): Promise<string> {
  const local = await firstAvailable(LOCAL_SOURCES, tool, machine);
  const file = local.path ?? (await obtainElsewhere(tool, machine, progress, local.failed));
  const unsupported = local.failed.find(({ error }) => error instanceof UnsupportedError);
  if (unsupported) noteOnce(progress, `${errorText(unsupported.error)}. Gatehouse uses ${titleOf(tool)} instead.`);
  return file;
}

async function obtainElsewhere(
  tool: Tool,
  machine: Machine,
  progress: Progress,
  [onPath]: readonly Failure[],
): Promise<string> {
  const title = titleOf(tool);
  const onFailure = ({ source, error }: Failure): void => {
    if (source === "mirror" && machine.mirror)
      progress.note(`${title} is not available from the mirror: ${errorText(error)}`);
  };
  const work = async (report: Report): Promise<string> => {
    const waiting = (): void => report("waiting for another process that downloads it");
    const { path, failed } = await withLock(machine.cache, folderName(tool, machine.platform), waiting, () =>
      firstAvailable(OTHER_SOURCES, tool, machine, report, onFailure),
    ).catch((error: unknown): Outcome => ({ failed: [{ source: "cache", error }] }));
    if (path !== undefined) return path;
    throw new UnavailableError(tool, onPath ? [onPath, ...failed] : failed);
  };
  return progress.step(`Getting ${title}`, work, machine.mirror && "10 s");
}

function titleOf({ name, version }: Tool): string {
  return `${name} ${version}`;
}

/** Notes of this process: a command needs Pulumi several times. */
const noted = new Set<string>();

function noteOnce(progress: Progress, line: string): void {
  if (!noted.has(line)) progress.note(line);
  noted.add(line);
}

interface Failure {
  readonly source: string;
  readonly error: unknown;
}

interface Outcome {
  readonly path?: string;
  /** The sources that failed, until one did not. */
  readonly failed: readonly Failure[];
}

async function firstAvailable(
  sources: readonly Source[],
  tool: Tool,
  machine: Machine,
  report: Report = () => undefined,
  onFailure: (failure: Failure) => void = () => undefined,
): Promise<Outcome> {
  const failed: Failure[] = [];
  for (const [source, obtainFrom] of sources) {
    try {
      return { path: await obtainFrom(tool, machine, report), failed };
    } catch (error) {
      failed.push({ source, error });
      onFailure({ source, error });
    }
  }
  return { failed };
}

function explain(missing: readonly UnavailableError[], machine: Machine): string {
  const blocks = missing.map(({ message, tried }) => [
    `${message}. Tried, in this order:`,
    ...tried.map(({ source, error }) => `  - ${source}: ${errorText(error)}`),
  ]);
  const tools = missing.map(({ tool }) => tool);
  const files = tools.flatMap((tool) => mirrorName(tool, machine) ?? []);
  const hosts = new Set(tools.flatMap((tool) => downloadFor(tool, machine)?.url ?? []).map((url) => new URL(url).host));
  const programs = tools.filter(({ versionArgument }) => versionArgument).map((tool) => onPath(tool, machine));
  const hints = [
    ...hint(files, (all) => `set GATEHOUSE_TOOLS_MIRROR to a folder or an http(s) address that contains ${all}`),
    ...hint([...hosts], (all) => `let this machine reach ${all} (HTTPS_PROXY is respected)`),
    "install Go 1.26 or newer and let it reach its module proxy (GOPROXY is respected)",
    ...hint(programs, (all) => `put ${all} on PATH`),
  ];
  return [...blocks.flat(), "To fix it, do one of these:", ...hints.map((line) => `  - ${line}`)].join("\n");
}

function hint(values: readonly string[], text: (all: string) => string): string[] {
  return values.length > 0 ? [text(values.join(", "))] : [];
}

/** Returns the name of a program with the versions that are used if it is on PATH. */
function onPath({ name, version, minimumVersion }: Tool, { local }: Machine): string {
  return minimumVersion === undefined || local ? `${name} ${version}` : `${name} ${minimumVersion} or newer`;
}
