import { cp, mkdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { shortHash } from "../../infra/shortHash.ts";
import { defaultBlueprints } from "../platform/authentik.ts";
import { type Command, node, type ContainerRequest } from "./command.ts";

/** Where the image has its blueprints, and stacks mount theirs below. */
const BLUEPRINTS = "/blueprints";

/** The command line of a role of authentik: of the real one, where there is one, else of the emulator. */
export async function authentikCommand(args: readonly string[], request: ContainerRequest): Promise<Command> {
  const { authentik, ip } = request;
  const env = {
    AUTHENTIK_LISTEN__HTTP: `${ip}:9000`,
    AUTHENTIK_LISTEN__HTTPS: `${ip}:9443`,
    AUTHENTIK_LISTEN__METRICS: `${ip}:9300`,
    AUTHENTIK_STORAGE__FILE__PATH: request.folder,
    ...(args[0] === "worker" && { AUTHENTIK_BLUEPRINTS_DIR: await blueprints(request) }),
  };
  if (authentik !== undefined) return { file: authentik, args, env };
  const [role, ...rest] = args;
  return role === "healthcheck"
    ? node("../../emulators/authentik/healthcheck.ts", rest, env)
    : node("../../emulators/authentik/main.ts", args, env);
}

/** A folder with the blueprints of the program, as in its image, and those that the Pod mounts below. */
async function blueprints({ authentik, mounts, folder }: ContainerRequest): Promise<string> {
  const merged = path.join(folder, "merged-blueprints");
  await mkdir(merged, { recursive: true, mode: 0o700 });
  if (authentik !== undefined) await cp(await defaultBlueprints(authentik), merged, { recursive: true });
  for (const [mountPath, source] of mounts) {
    if (!mountPath.startsWith(`${BLUEPRINTS}/`)) continue;
    await cp(source, path.join(merged, mountPath.slice(BLUEPRINTS.length + 1)), { recursive: true });
  }
  return withoutHiddenFolder(merged);
}

/** Returns the folder, or a link to it if a folder of its path is hidden, e.g. `~/.local`: authentik skips blueprints there (its blueprints_find). */
async function withoutHiddenFolder(folder: string): Promise<string> {
  if (!folder.includes("/.")) return folder;
  const link = path.join(tmpdir(), `gatehouse-${shortHash(folder, 16)}`);
  await rm(link, { force: true });
  await symlink(folder, link);
  return link;
}
