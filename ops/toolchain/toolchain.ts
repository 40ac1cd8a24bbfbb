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
 * Finds, fetches or builds the pinned tools and returns the absolute path of each. Looks on PATH, in the cache, in the mirror, at the
 * publisher's and at last builds from Go modules (design, section 7).
 * Throws one {@link ToolchainError} that lists every way tried for every tool that is not available.
 */
export function ensureTools<N extends ToolName>(names: readonly N[], progress: Progress): Promise<Record<N, string>> {
  return ensure(names, false, progress);
}

/**
 * As {@link ensureTools}, for the local platform: what has to be built is the local variant, which is built faster because it lacks cloud
 * providers. Never for a cluster: its state or secrets may be kept by one of them.
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
      `The local platform runs on Linux on x64, this is ${process.platform} on ${process.arch}. ` +
        "Use an existing cluster: ./deploy CONTEXT",
    );
  }
  const paths = await obtainTools(names.map(pinned), { ...thisMachine(), local }, progress);
  return Object.fromEntries(names.map((name, i) => [name, paths[i]])) as Record<N, string>;
}

export class ToolchainError extends Error {
  override readonly name = "ToolchainError";
}

/** As {@link ensureTools}, for any tools on any machine; paths in the order of the tools. */
export async function obtainTools(tools: readonly Tool[], machine: Machine, progress: Progress): Promise<string[]> {
  const results = await Promise.all(tools.map((tool) => obtain(tool, machine, progress).catch(asMissing)));
  const missing = results.filter((result) => result instanceof NotObtained);
  if (missing.length > 0) throw new ToolchainError(explain(missing));
  return results.filter((result) => typeof result === "string");
}

function asMissing(error: unknown): NotObtained {
  if (error instanceof NotObtained) return error;
  throw error;
}

type Report = (detail: string) => void;
type Way = readonly [name: string, go: (tool: Tool, machine: Machine, report: Report) => Promise<string>];

const AT_HAND: readonly Way[] = [
  ["PATH", findOnPath],
  ["cache", findInCache],
];
const TO_BE_HAD: readonly Way[] = [
  // Another run may have filled the cache while this one waited for the lock.
  ["cache", findInCache],
  ["mirror", takeFromMirror],
  ["official download", download],
  ["build from Go modules", buildVariant],
];

function buildVariant(tool: Tool, machine: Machine, report: Report): Promise<string> {
  return build(machine.local ? localVariant(tool) : tool, machine, report);
}

class NotObtained extends Error {
  readonly tool: Tool;
  /** One line for each way: its name and why it failed. */
  readonly tried: readonly string[];

  constructor(tool: Tool, tried: readonly string[]) {
    super(`${tool.name} ${tool.version} is not available`);
    this.tool = tool;
    this.tried = tried;
  }
}

async function obtain(tool: Tool, machine: Machine, progress: Progress): Promise<string> {
  const title = `${tool.name} ${tool.version}`;
  const atHand = await firstOf(AT_HAND, tool, machine, () => undefined);
  if ("path" in atHand) return atHand.path;
  const work = async (report: Report): Promise<string> => {
    const waiting = () => report("waiting for another process that downloads it");
    const failing = (way: string, why: string) => {
      if (way === "mirror" && machine.mirror) progress.note(`${title} is not available from the mirror: ${why}`);
    };
    const got = await withLock(tool, machine, waiting, () => firstOf(TO_BE_HAD, tool, machine, report, failing)).catch(
      (error: unknown): Outcome => ({
        failed: [`cache: ${errorText(error)}; set GATEHOUSE_CACHE to a writable folder`],
      }),
    );
    if ("path" in got) return got.path;
    throw new NotObtained(tool, [...atHand.failed.slice(0, 1), ...got.failed]);
  };
  return progress.step(`Getting ${title}`, work, machine.mirror && "10 s");
}

type Outcome = { readonly path: string } | { readonly failed: readonly string[] };

async function firstOf(
  ways: readonly Way[],
  tool: Tool,
  machine: Machine,
  report: Report,
  failing?: (way: string, why: string) => void,
): Promise<Outcome> {
  const failed: string[] = [];
  for (const [name, go] of ways) {
    try {
      return { path: await go(tool, machine, report) };
    } catch (error) {
      failed.push(`${name}: ${errorText(error)}`);
      failing?.(name, errorText(error));
    }
  }
  return { failed };
}

function explain(missing: readonly NotObtained[]): string {
  const blocks = missing.map(({ message, tried }) => [
    `${message}. Tried, in this order:`,
    ...tried.map((way) => `  - ${way}`),
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
