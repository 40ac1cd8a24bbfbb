import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { CoreV1Api, V1Container, V1EnvVar, V1ObjectFieldSelector, V1Pod, V1Volume } from "@kubernetes/client-node";
import { commandFor } from "./images.ts";

/** What to start for the one container of a Pod. */
export interface Prepared {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Working folder and home. */
  readonly folder: string;
}

/**
 * Reads what the Pod refers to and writes its volumes below `folder`. There is no container and so no file system of its own: an
 * argument or a literal value that begins with a mount path, `/sql/1.sql` for a mount at `/sql`, is rewritten to the volume's folder.
 * @throws Error naming what is missing or what the local platform cannot do
 */
export async function prepare(api: CoreV1Api, pod: V1Pod, ip: string, folder: string): Promise<Prepared> {
  const [container, ...others] = pod.spec?.containers ?? [];
  if (!container || others.length > 0) throw new Error("the local platform runs Pods of exactly one container");
  const { command = [], args = [], image = "" } = container;
  const source = new Source(api, pod.metadata?.namespace ?? "");

  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const mounts = await writeVolumes(source, pod, container, folder);
  const env = await environment(source, pod, container, ip, mounts);
  const expand = (value: string): string => mounted(expanded(value, env), mounts);
  const run = commandFor(image, { command: command.map(expand), args: args.map(expand), ip });
  const tmp = mounts.get("/tmp") ?? folder;
  return { ...run, env: { HOME: folder, TMPDIR: tmp, ...env, ...run.env }, folder };
}

/** Removes a Pod's volumes. */
export function discard(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** ConfigMaps and Secrets of one namespace, as name → value. */
class Source {
  readonly #api: CoreV1Api;
  readonly #namespace: string;

  constructor(api: CoreV1Api, namespace: string) {
    this.#api = api;
    this.#namespace = namespace;
  }

  async configMap(name: string, optional: boolean | undefined): Promise<Record<string, string>> {
    const found = await missing(`ConfigMap ${name}`, optional, () =>
      this.#api.readNamespacedConfigMap({ name, namespace: this.#namespace }),
    );
    return found?.data ?? {};
  }

  async secret(name: string, optional: boolean | undefined): Promise<Record<string, string>> {
    const found = await missing(`Secret ${name}`, optional, () =>
      this.#api.readNamespacedSecret({ name, namespace: this.#namespace }),
    );
    const entries = Object.entries(found?.data ?? {});
    return Object.fromEntries(entries.map(([key, value]) => [key, Buffer.from(value, "base64").toString()]));
  }
}

async function missing<T>(what: string, optional: boolean | undefined, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if ((error as { code?: unknown }).code !== 404) throw error;
    if (optional) return undefined;
    throw new Error(`${what} does not exist`, { cause: error });
  }
}

async function environment(
  source: Source,
  pod: V1Pod,
  container: V1Container,
  ip: string,
  mounts: ReadonlyMap<string, string>,
): Promise<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const { prefix = "", configMapRef, secretRef } of container.envFrom ?? []) {
    const values = {
      ...(configMapRef && (await source.configMap(configMapRef.name ?? "", configMapRef.optional))),
      ...(secretRef && (await source.secret(secretRef.name ?? "", secretRef.optional))),
    };
    for (const [key, value] of Object.entries(values)) env[prefix + key] = value;
  }
  for (const entry of container.env ?? []) {
    const value = await valueOf(source, pod, entry, ip);
    if (value !== undefined) env[entry.name] = entry.valueFrom ? value : mounted(expanded(value, env), mounts);
  }
  return env;
}

async function valueOf(
  source: Source,
  pod: V1Pod,
  { name, value, valueFrom }: V1EnvVar,
  ip: string,
): Promise<string | undefined> {
  if (!valueFrom) return value ?? "";
  if (valueFrom.fieldRef) return fieldOf(pod, valueFrom.fieldRef, ip);
  const reference = valueFrom.secretKeyRef ?? valueFrom.configMapKeyRef;
  if (!reference) throw new Error(`the local platform does not know the source of variable ${name}`);
  const read = valueFrom.secretKeyRef ? source.secret.bind(source) : source.configMap.bind(source);
  const found = (await read(reference.name ?? "", reference.optional))[reference.key];
  if (found === undefined && !reference.optional)
    throw new Error(`${reference.name} has no key ${reference.key}, which variable ${name} needs`);
  return found;
}

function fieldOf(pod: V1Pod, { fieldPath }: V1ObjectFieldSelector, ip: string): string {
  const { metadata = {}, spec } = pod;
  const fields: Record<string, string | undefined> = {
    "metadata.name": metadata.name,
    "metadata.namespace": metadata.namespace,
    "metadata.uid": metadata.uid,
    "spec.nodeName": NODE,
    "spec.serviceAccountName": spec?.serviceAccountName ?? "default",
    "status.podIP": ip,
    "status.hostIP": "127.0.0.1",
  };
  const value = fields[fieldPath];
  if (value === undefined) throw new Error(`the local platform does not know the field ${fieldPath}`);
  return value;
}

/** The only node there is. */
export const NODE = "gatehouse-local";

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

/** @returns mount path → folder (or file, for a subPath), the longest first */
async function writeVolumes(
  source: Source,
  pod: V1Pod,
  container: V1Container,
  folder: string,
): Promise<Map<string, string>> {
  const volumes = new Map((pod.spec?.volumes ?? []).map((volume) => [volume.name, volume]));
  const mounts = [...(container.volumeMounts ?? [])].sort((a, b) => b.mountPath.length - a.mountPath.length);
  const folders = new Map<string, string>();
  for (const mount of mounts) {
    const at = path.join(folder, mount.name);
    const volume = volumes.get(mount.name);
    if (volume) await writeVolume(source, volume, at);
    folders.set(mount.mountPath.replace(/\/$/, ""), mount.subPath === undefined ? at : path.join(at, mount.subPath));
  }
  return folders;
}

async function writeVolume(source: Source, { name, configMap, secret, emptyDir }: V1Volume, at: string): Promise<void> {
  if (!configMap && !secret && !emptyDir)
    throw new Error(`volume ${name}: the local platform knows configMap, secret and emptyDir`);
  mkdirSync(at, { recursive: true, mode: 0o700 });
  const files = {
    ...(configMap && (await source.configMap(configMap.name ?? "", configMap.optional))),
    ...(secret && (await source.secret(secret.secretName ?? "", secret.optional))),
  };
  const items = configMap?.items ?? secret?.items ?? Object.keys(files).map((key) => ({ key, path: key }));
  for (const item of items) {
    const file = path.join(at, item.path);
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, files[item.key] ?? "", { mode: 0o600 });
  }
}
