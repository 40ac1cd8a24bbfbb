import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { CoreV1Api, V1Container, V1Pod, V1Volume } from "@kubernetes/client-node";
import { readable } from "../../infra/prerequisites/readable.ts";
import type { Command, ContainerRequest } from "./command.ts";
import { commandFor } from "./images.ts";

/** What to start for the one container of a Pod. */
export interface Prepared extends Command {
  /** Working folder and home. */
  readonly folder: string;
  /** What an `exec` readiness probe runs, in the same environment. */
  readonly probe: Command | undefined;
}

/** The data of a ConfigMap or Secret, in clear. @throws Error when there is none */
type Read = (kind: "ConfigMap" | "Secret", name: string | undefined) => Promise<Record<string, Buffer>>;
/** The folder of a claim, which outlives the Pod. */
type Claim = (name: string) => Promise<string>;

/**
 * Reads what the Pod refers to and writes its volumes below `folder`. There is no container and so no separate file system: an
 * argument or a value that begins with a mount path, `/sql/1.sql` for a mount at `/sql`, is rewritten to the volume's folder.
 * @throws Error naming what is missing or what the local platform cannot do
 */
export async function prepare(
  api: CoreV1Api,
  pod: V1Pod,
  { ip, folder, authentik }: Pick<ContainerRequest, "ip" | "folder" | "authentik">,
): Promise<Prepared> {
  const [container, ...others] = pod.spec?.containers ?? [];
  if (!container || others.length > 0) throw new Error("the local platform runs Pods of exactly one container");
  const { command = [], args = [], image = "" } = container;
  const namespace = pod.metadata?.namespace ?? "";
  const read = reader(api, namespace);

  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const claim = async (name: string): Promise<string> => {
    const { metadata } = await api.readNamespacedPersistentVolumeClaim({ name, namespace });
    return path.resolve(folder, "../../volumes", metadata?.uid ?? "");
  };
  const mounts = await writeVolumes(read, claim, pod, container, folder);
  const env = await environment(read, container, mounts);
  const expand = (value: string): string => mounted(expanded(value, env), mounts);
  const machine = { ip, mounts, folder, authentik };
  const run = await commandFor(image, { ...machine, command: command.map(expand), args: args.map(expand) });
  const exec = container.readinessProbe?.exec?.command;
  const probe = exec && (await commandFor(image, { ...machine, command: exec.map(expand), args: [] }));
  const tmp = mounts.get("/tmp") ?? folder;
  return { ...run, env: { HOME: folder, TMPDIR: tmp, ...env, ...run.env }, folder, probe };
}

function reader(api: CoreV1Api, namespace: string): Read {
  const secret = async (name: string): ReturnType<Read> =>
    decoded((await api.readNamespacedSecret({ name, namespace })).data, "base64");
  const configMap = async (name: string): ReturnType<Read> => {
    const { data, binaryData } = await api.readNamespacedConfigMap({ name, namespace });
    return { ...decoded(data, "utf8"), ...decoded(binaryData, "base64") };
  };
  return async (kind, name = "") => {
    const found = await readable(kind === "Secret" ? secret(name) : configMap(name), [404]);
    if (found === undefined) throw new Error(`${kind} ${name} does not exist`);
    return found;
  };
}

function decoded(data: Record<string, string> = {}, encoding: BufferEncoding): Record<string, Buffer> {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, encoding)]));
}

async function environment(
  read: Read,
  { envFrom = [], env: own = [] }: V1Container,
  mounts: ReadonlyMap<string, string>,
): Promise<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const { prefix = "", configMapRef, secretRef } of envFrom) {
    const values = await (secretRef ? read("Secret", secretRef.name) : read("ConfigMap", configMapRef?.name));
    for (const [key, value] of Object.entries(values)) env[prefix + key] = value.toString();
  }
  for (const { name, value = "", valueFrom } of own) {
    if (valueFrom) throw new Error(`variable ${name}: the local platform supports value and envFrom, not valueFrom`);
    env[name] = mounted(expanded(value, env), mounts);
  }
  return env;
}

/** `$(NAME)` of a variable that is set, as Kubernetes expands it; `$$(NAME)` stays `$(NAME)`. */
function expanded(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\$\$|\$\(([\w.-]+)\)/g, (match, name?: string) =>
    match === "$$" ? "$" : (env[name ?? ""] ?? match),
  );
}

function mounted(text: string, mounts: ReadonlyMap<string, string>): string {
  const mount = [...mounts.keys()].find((at) => text === at || text.startsWith(`${at}/`));
  return mount === undefined ? text : `${mounts.get(mount)}${text.slice(mount.length)}`;
}

/** @returns mount path → folder, the longest first */
async function writeVolumes(
  read: Read,
  claim: Claim,
  pod: V1Pod,
  container: V1Container,
  folder: string,
): Promise<Map<string, string>> {
  const folders = new Map<string, string>();
  const mounts = [...(container.volumeMounts ?? [])].sort((a, b) => b.mountPath.length - a.mountPath.length);
  for (const { name, mountPath, subPath } of mounts) {
    if (subPath) throw new Error(`volume ${name}: the local platform mounts whole volumes, not a subPath`);
    const volume = pod.spec?.volumes?.find((one) => one.name === name);
    const claimed = volume?.persistentVolumeClaim?.claimName;
    const at = claimed ? await claim(claimed) : path.join(folder, name);
    // Postgres runs under another user when root starts the platform, and must pass through.
    if (claimed) mkdirSync(at, { recursive: true, mode: 0o711 });
    else if (volume) await writeVolume(read, volume, at);
    folders.set(mountPath.replace(/\/$/, ""), at);
  }
  return folders;
}

async function writeVolume(read: Read, { name, configMap, secret, emptyDir }: V1Volume, at: string): Promise<void> {
  if (!configMap && !secret && !emptyDir)
    throw new Error(
      `volume ${name}: the local platform supports emptyDir, persistentVolumeClaim, configMap and secret`,
    );
  mkdirSync(at, { recursive: true, mode: 0o700 });
  const files = {
    ...(configMap && (await read("ConfigMap", configMap.name))),
    ...(secret && (await read("Secret", secret.secretName))),
  };
  const items = configMap?.items ?? secret?.items ?? Object.keys(files).map((key) => ({ key, path: key }));
  for (const item of items) {
    const file = path.join(at, item.path);
    const content = files[item.key];
    // A kubelet does not start such a pod either.
    if (content === undefined)
      throw new Error(`volume ${name}: the ${configMap ? "ConfigMap" : "Secret"} has no key ${item.key}`);
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, content, { mode: 0o600 });
  }
}
