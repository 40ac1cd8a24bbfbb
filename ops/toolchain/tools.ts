import path from "node:path";
import { cacheFolder } from "../launcher/cacheFolder.js";
import { LOCAL_FOLDER } from "../launcher/goModule.js";
import pins from "./tools.json" with { type: "json" };

export type ToolName = keyof typeof pins.programs | keyof typeof pins.files;
export type PluginName = keyof typeof pins.plugins;

/** Operating systems and processors for which a publisher's program is pinned: all for Pulumi, the first for the programs of the local platform. */
type Platform = "linux-x64" | "linux-arm64" | "darwin-x64" | "darwin-arm64";

/** The platform of the programs in a mirror. */
export const MIRROR_PLATFORM: Platform = "linux-x64";

/** A pinned program, or a pinned file that a program reads. */
export interface Tool {
  readonly name: string;
  readonly version: string;
  /** The oldest version on PATH that is used for a cluster; none = the pinned version only. */
  readonly minimumVersion?: string;
  /** SHA-256 of the file in a mirror. A program of the publisher or built here differs from it; a plain file does not. */
  readonly sha256: string;
  /** Argument with which a program prints its version; none = a plain YAML file. */
  readonly versionArgument?: string;
  /** A plain file is the same on every platform. */
  readonly download: Download | Readonly<Partial<Record<Platform, Download>>>;
  readonly build: GoProgram | GoFile;
}

export interface Download {
  readonly url: string;
  /** SHA-256 of the file at `url`. Pinned, so that a compromised publisher's account cannot change a program. */
  readonly sha256?: string;
  /** The publisher's list of SHA-256 checksums, used without a pinned one; neither = the checksum of the tool. */
  readonly sums?: string;
  /** The program's path in the `.tar.gz` at `url`; none = the file at `url` is the program. */
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

interface LocalVariant {
  /** Version that the program prints; none = the pinned version, because only versions of dependencies differ. */
  readonly version?: string;
  readonly ldflags: string;
  readonly usually: string;
}

/** A file copied out of a Go module, `module` being `path@version`. */
export interface GoFile {
  readonly module: string;
  readonly file: string;
}

/** Environment of the search for a tool. */
export interface Machine {
  /** Operating system and processor as Node.js names them; a {@link Platform} or another. */
  readonly platform: string;
  readonly cache: string;
  /** Mirror: a folder or an http(s) address. */
  readonly mirror: string | undefined;
  /** Search path of programs, like `$PATH`. */
  readonly path: string;
  /** Whether to use the local variant of programs; default: false. */
  readonly local?: boolean;
}

export const pluginVersions: Readonly<Record<PluginName, string>> = pins.plugins;

/** Returns a tool with its version, sources and checksums (tools.json). */
export function pinned(name: ToolName): Tool {
  const all: Readonly<Record<ToolName, Omit<Tool, "name">>> = { ...pins.programs, ...pins.files };
  return { name, ...all[name] };
}

/** Returns the variant of a tool for the local platform (docs/toolchain.md). A plain file has none. */
export function localVariant(tool: Tool): Tool {
  if (!("folder" in tool.build) || !tool.build.local) return tool;
  const { version = tool.version, ...build } = tool.build.local;
  return { ...tool, version, build: { folder: LOCAL_FOLDER, package: tool.build.package, ...build } };
}

/** Returns this machine: its platform, its cache, the mirror of its environment, its PATH. */
export function thisMachine(): Machine {
  return {
    platform: `${process.platform}-${process.arch}`,
    cache: cacheFolder(),
    mirror: process.env.GATEHOUSE_TOOLS_MIRROR || undefined,
    path: process.env.PATH ?? "",
  };
}

/** Returns the publisher's file of a tool for a machine; undefined if there is none for its platform. */
export function downloadFor({ download }: Tool, { platform }: Machine): Download | undefined {
  return "url" in download ? download : (download as Readonly<Partial<Record<string, Download>>>)[platform];
}

/** Returns the name of a tool's file in a mirror, e.g. `etcd-3.6.6-linux-x64.br`; undefined for a program of another platform. */
export function mirrorName(tool: Tool, { platform }: Pick<Machine, "platform">): string | undefined {
  if (!tool.versionArgument) return `${tool.name}-${tool.version}.yml.br`;
  return platform === MIRROR_PLATFORM ? `${folderName(tool, platform)}.br` : undefined;
}

/** Returns the path of a tool in the cache. A program has its own `bin`, because the Automation API requires a `root`. */
export function cachePath(tool: Tool, machine: Machine): string {
  const file = tool.versionArgument ? path.join("bin", tool.name) : `${tool.name}.yml`;
  return path.join(machine.cache, "tools", folderName(tool, machine.platform), file);
}

/** Returns the name of a tool's folder in the cache. Machines of several platforms can share a home folder. */
export function folderName({ name, version, versionArgument }: Tool, platform: string): string {
  return versionArgument ? `${name}-${version}-${platform}` : `${name}-${version}`;
}
