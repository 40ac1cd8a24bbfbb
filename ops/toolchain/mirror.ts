import { createReadStream, createWriteStream } from "node:fs";
import { access, rm } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";
import type { Report } from "../terminal/progress.ts";
import { downloadPath, fetchFile } from "./download.ts";
import { store } from "./store.ts";
import { MIRROR_PLATFORM, mirrorName, type Machine, type Tool } from "./tools.ts";
import { errorText } from "../../config/errors/errorText.ts";

/** Copies a tool from the mirror: a brotli file in a folder or at an address, whose content must have the pinned checksum. */
export async function takeFromMirror(tool: Tool, machine: Machine, report: Report): Promise<string> {
  const { mirror } = machine;
  if (mirror === undefined) throw new Error("GATEHOUSE_TOOLS_MIRROR is not set");
  const name = mirrorName(tool, machine);
  if (name === undefined) throw new Error(`a mirror has programs for ${MIRROR_PLATFORM} only`);
  const remote = /^https?:/.test(mirror);
  const source = remote ? `${mirror.replace(/\/$/, "")}/${name}` : path.resolve(mirror, name);
  const packed = remote ? downloadPath(machine, source) : source;
  try {
    if (remote) await fetchFile(source, packed, report);
    await access(packed).catch(() => Promise.reject(new Error("it does not exist")));
    report("unpacking");
    return await store(tool, machine, tool.sha256, (target) =>
      pipeline(createReadStream(packed), createBrotliDecompress(), createWriteStream(target)),
    );
  } catch (error) {
    throw new Error(`${source} was rejected: ${errorText(error)}`, {
      cause: error,
    });
  } finally {
    if (remote) await rm(packed, { force: true });
  }
}
