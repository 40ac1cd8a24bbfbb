import type { Progress } from "../terminal/progress.ts";
import { build } from "./build.ts";
import { download } from "./download.ts";
import { findInCache, findOnPath } from "./find.ts";
import { takeFromMirror } from "./mirror.ts";
import { withLock } from "./store.ts";
import { localVariant, mirrorName, pinned, thisMachine, type Machine, type Tool, type ToolName } from "./tools.ts";
import { errorText } from "../../config/errorText.ts";

export type { ToolName } from "./tools.ts";

/**
 * Finds, downloads or builds the pinned tools and returns the absolute path of each. Looks on PATH, in the cache, in the mirror and at the
 * publisher, and otherwise builds from Go modules (docs/toolchain.md).
 * @throws ToolchainError that lists every source tried for every tool that is not available
 */
export function ensureTools<N extends ToolName>(names: readonly N[], progress: Progress): Promise<Record<N, string>> {
  return ensure(names, false, progress);
}

/**
 * Like {@link ensureTools}, for the local platform: builds the local variant, which takes less time because it lacks cloud
 * providers. Do not use it for a cluster, whose state or secrets may be stored at one of them.
 */
export function ensureLocalTools<N extends ToolName>(
  names: readonly N[],
  progress: Progress,
): Promise<Record<N, string>> {
  return ensure(names, true, progress);
}

async function ensure<N extends ToolName>(
  names: readonly N[],
  local: boolean,
  progress: Progress,
): Promise<Record<N, string>> {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new ToolchainError(
      `The local platform requires Linux on x64, but this machine has ${process.platform} on ${process.arch}. ` +
        "Use an existing cluster: ./deploy CONTEXT",
    );
  }
  const paths = await obtainTools(names.map(pinned), { ...thisMachine(), local }, progress);
  return Object.fromEntries(names.map((name, i) => [name, paths[i]])) as Record<N, string>;
}

export class ToolchainError extends Error {
  override readonly name = "ToolchainError";
}

/** Like {@link ensureTools}, for any tools on any machine. @returns paths in the order of the tools */
export async function obtainTools(tools: readonly Tool[], machine: Machine, progress: Progress): Promise<string[]> {
  const results = await Promise.all(tools.map((tool) => obtain(tool, machine, progress).catch(asUnavailable)));
  const missing = results.filter((result) => result instanceof UnavailableError);
  if (missing.length > 0) throw new ToolchainError(explain(missing));
  return results.filter((result) => typeof result === "string");
}

function asUnavailable(error: unknown): UnavailableError {
  if (error instanceof UnavailableError) return error;
  throw error;
}

type Report = (detail: string) => void;
type Source = readonly [name: string, go: (tool: Tool, machine: Machine, report: Report) => Promise<string>];

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
  /** One line for each source: its name and why it failed. */
  readonly tried: readonly string[];

  constructor(tool: Tool, tried: readonly string[]) {
    super(`${tool.name} ${tool.version} is not available`);
    this.tool = tool;
    this.tried = tried;
  }
}

async function obtain(tool: Tool, machine: Machine, progress: Progress): Promise<string> {
  const title = `${tool.name} ${tool.version}`;
  const local = await firstOf(LOCAL_SOURCES, tool, machine, () => undefined);
  if ("path" in local) return local.path;
  const work = async (report: Report): Promise<string> => {
    const waiting = () => report("waiting for another process that downloads it");
    const onFailure = (source: string, why: string) => {
      if (source === "mirror" && machine.mirror) progress.note(`${title} is not available from the mirror: ${why}`);
    };
    const obtained = await withLock(tool, machine, waiting, () =>
      firstOf(OTHER_SOURCES, tool, machine, report, onFailure),
    ).catch((error: unknown): Outcome => ({
      failed: [`cache: ${errorText(error)}. Set GATEHOUSE_CACHE to a writable folder.`],
    }));
    if ("path" in obtained) return obtained.path;
    throw new UnavailableError(tool, [...local.failed.slice(0, 1), ...obtained.failed]);
  };
  return progress.step(`Getting ${title}`, work, machine.mirror && "10 s");
}

type Outcome = { readonly path: string } | { readonly failed: readonly string[] };

async function firstOf(
  sources: readonly Source[],
  tool: Tool,
  machine: Machine,
  report: Report,
  onFailure?: (source: string, why: string) => void,
): Promise<Outcome> {
  const failed: string[] = [];
  for (const [name, go] of sources) {
    try {
      return { path: await go(tool, machine, report) };
    } catch (error) {
      failed.push(`${name}: ${errorText(error)}`);
      onFailure?.(name, errorText(error));
    }
  }
  return { failed };
}

function explain(missing: readonly UnavailableError[]): string {
  const blocks = missing.map(({ message, tried }) => [
    `${message}. Tried, in this order:`,
    ...tried.map((source) => `  - ${source}`),
  ]);
  const files = missing.map(({ tool }) => mirrorName(tool)).join(", ");
  const hosts = [...new Set(missing.map(({ tool }) => new URL(tool.download.url).host))].join(", ");
  const programs = missing.filter(({ tool }) => tool.versionArgument).map(({ tool }) => `${tool.name} ${tool.version}`);
  const hints = [
    `set GATEHOUSE_TOOLS_MIRROR to a folder or an http(s) address that contains ${files}`,
    `let this machine reach ${hosts} (HTTPS_PROXY is respected)`,
    "install Go 1.26 or newer and let it reach its module proxy (GOPROXY is respected)",
    ...(programs.length > 0 ? [`put ${programs.join(", ")} on PATH`] : []),
  ];
  return [...blocks.flat(), "To fix it, do one of these:", ...hints.map((hint) => `  - ${hint}`)].join("\n");
}
