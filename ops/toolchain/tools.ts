import path from "node:path";
import { cacheFolder } from "./paths.ts";
import { LOCAL_FOLDER } from "./goModule.js";
import pins from "./tools.json" with { type: "json" };

export type ToolName = keyof typeof pins.programs | keyof typeof pins.files;
export type PluginName = keyof typeof pins.plugins;

/** A pinned program, or a pinned file that a program reads. */
export interface Tool {
  readonly name: string;
  readonly version: string;
  /** Of the file in a mirror. A program of the publisher or built here differs from it; a plain file never does. */
  readonly sha256: string;
  /** What makes a program print its version; none = a plain YAML file. */
  readonly versionArgument?: string;
  readonly download: Download;
  readonly build: GoProgram | GoFile;
}

export interface Download {
  readonly url: string;
  /** Of the file at `url`. Pinned, so that a publisher's account that is taken over cannot change a program. */
  readonly sha256?: string;
  /** The publisher's list of SHA-256 sums, used without a pinned one; neither = the tool's own sum. */
  readonly sums?: string;
  /** The program's path in the `.tar.gz` at `url`; none = the address is the program itself. */
  readonly member?: string;
}

/** A program built in a copy of `modules/<folder>`. */
export interface GoProgram {
  readonly folder: string;
  readonly package: string;
  readonly ldflags: string;
  readonly usually: string;
  /** How it is built in `modules/local`, whose programs share their dependencies. */
  readonly local?: LocalVariant;
}

export interface LocalVariant {
  /** What the program prints; none = the pinned version, because only versions of dependencies differ. */
  readonly version?: string;
  readonly ldflags: string;
  readonly usually: string;
}

/** A file copied out of a Go module, `module` being `path@version`. */
export interface GoFile {
  readonly module: string;
  readonly file: string;
  readonly usually: string;
}

/** What the search for a tool depends on. */
export interface Machine {
  readonly cache: string;
  /** A folder or an http(s) address. */
  readonly mirror: string | undefined;
  /** Folders of programs, as in `$PATH`. */
  readonly path: string;
  /** Whether the local variant of a program serves; default: it does not. */
  readonly local?: boolean;
}

export const pluginVersions: Readonly<Record<PluginName, string>> = pins.plugins;

/** The pins of one tool of `tools.json`. */
export function pinned(name: ToolName): Tool {
  const all: Readonly<Record<ToolName, Omit<Tool, "name">>> = { ...pins.programs, ...pins.files };
  return { name, ...all[name] };
}

/** A tool as it is built for the local platform alone, see docs/toolchain.md. A plain file is the same. */
export function localVariant(tool: Tool): Tool {
  if (!("folder" in tool.build) || !tool.build.local) return tool;
  const { version = tool.version, ...build } = tool.build.local;
  return { ...tool, version, build: { folder: LOCAL_FOLDER, package: tool.build.package, ...build } };
}

/** The machine as the environment describes it. */
export function thisMachine(): Machine {
  return {
    cache: cacheFolder(),
    mirror: process.env.GATEHOUSE_TOOLS_MIRROR || undefined,
    path: process.env.PATH ?? "",
  };
}

/** The name of a tool's file in a mirror, e.g. `etcd-3.6.6-linux-x64.br`. */
export function mirrorName(tool: Tool): string {
  return `${tool.name}-${tool.version}${tool.versionArgument ? "-linux-x64" : ".yml"}.br`;
}

/** Returns the path of a tool in the cache. A program has its own `bin`, because the Automation API requires a `root`. */
export function cachePath(tool: Tool, machine: Machine): string {
  const file = tool.versionArgument ? path.join("bin", tool.name) : `${tool.name}.yml`;
  return path.join(machine.cache, "tools", `${tool.name}-${tool.version}`, file);
}
