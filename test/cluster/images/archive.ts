/** An OCI image layout (github.com/opencontainers/image-spec, image-layout.md) with several images, as `ctr images import` reads it. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Layer } from "./layer.ts";

export interface Image {
  /** Name in a Pod, e.g. `node:24-alpine`. */
  readonly name: string;
  readonly layers: readonly Layer[];
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Folders that a container has its own volume for (`VOLUME`), unless a pod mounts another one at the same path. */
  readonly volumes?: readonly string[];
}

/** Folders of programs in every image. */
const PATH = "/usr/local/bin:/usr/bin";
const MEDIA = "application/vnd.oci.image";

/**
 * Writes configurations, manifests and index for layers that are in the layout already.
 * @param layout folder of the layout; its layers are in `blobs/sha256`
 */
export function writeIndex(layout: string, images: readonly Image[]): void {
  const manifests = images.map((image) => ({
    ...manifestOf(layout, image),
    annotations: { "io.containerd.image.name": fullName(image.name), "org.opencontainers.image.ref.name": image.name },
  }));
  const index = { schemaVersion: 2, mediaType: `${MEDIA}.index.v1+json`, manifests };
  writeFileSync(path.join(layout, "index.json"), JSON.stringify(index));
  writeFileSync(path.join(layout, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
}

/** Returns the name of an image with its registry, which a container runtime adds if it is missing. */
function fullName(name: string): string {
  const [first = "", ...rest] = name.split("/");
  if (rest.length === 0) return `docker.io/library/${name}`;
  return first.includes(".") || first.includes(":") ? name : `docker.io/${name}`;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

function manifestOf(layout: string, { layers, entrypoint, command, env = {}, volumes = [] }: Image): Descriptor {
  const variables = Object.entries({ PATH, ...env }).map(([name, value]) => `${name}=${value}`);
  const config = blob(layout, "config.v1+json", {
    architecture: "amd64",
    os: "linux",
    config: {
      Env: variables,
      Entrypoint: entrypoint,
      Cmd: command,
      WorkingDir: "/",
      Volumes: Object.fromEntries(volumes.map((folder) => [folder, {}])),
    },
    rootfs: { type: "layers", diff_ids: layers.map(({ digest }) => `sha256:${digest}`) },
  });
  const packed = layers.map(({ digest, size }) => ({
    mediaType: `${MEDIA}.layer.v1.tar`,
    digest: `sha256:${digest}`,
    size,
  }));
  return blob(layout, "manifest.v1+json", {
    schemaVersion: 2,
    mediaType: `${MEDIA}.manifest.v1+json`,
    config,
    layers: packed,
  });
}

function blob(layout: string, kind: string, content: object): Descriptor {
  const text = JSON.stringify(content);
  const digest = createHash("sha256").update(text).digest("hex");
  writeFileSync(path.join(layout, "blobs", "sha256", digest), text);
  return { mediaType: `${MEDIA}.${kind}`, digest: `sha256:${digest}`, size: Buffer.byteLength(text) };
}
