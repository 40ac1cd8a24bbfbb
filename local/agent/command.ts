import path from "node:path";

/** A command line on this machine that does what a container would. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** Added to the variables of the container. */
  readonly env: Readonly<Record<string, string>>;
}

/** The fields of a container and its Pod that decide what runs. */
export interface ContainerRequest {
  readonly command: readonly string[];
  readonly args: readonly string[];
  /** Address of the Pod. */
  readonly ip: string;
  /** Mount path → folder on this machine. */
  readonly mounts: ReadonlyMap<string, string>;
  /** Folder of the Pod. */
  readonly folder: string;
  /** The executable of a real authentik; undefined = the emulator. */
  readonly authentik: string | undefined;
}

/** The limit of Go's server and client; a user in many groups has long headers. */
const HEADERS = "--max-http-header-size=1048576";

export function node(program: string, args: readonly string[], env: Command["env"] = {}): Command {
  return { file: process.execPath, args: [HEADERS, path.join(import.meta.dirname, program), ...args], env };
}
