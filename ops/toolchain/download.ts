import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { copyFile, mkdir, open, rm } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { EnvHttpProxyAgent, fetch, type Response } from "undici";
import type { Report } from "../terminal/progress.ts";
import { errorText } from "../../config/errors/errorText.ts";
import { checkSum, store } from "./store.ts";
import { downloadFor, type Machine, type Tool } from "./tools.ts";

/** Fails fast on a refused connection, but tolerates a slow one. Uses the proxies of the environment. */
const dispatcher = new EnvHttpProxyAgent({
  connect: { timeout: 10_000 },
  headersTimeout: 20_000,
  bodyTimeout: 30_000,
});

/** Downloads the publisher's file into the cache. @throws Error when it is not available, or has another checksum */
export async function download(tool: Tool, machine: Machine, report: Report): Promise<string> {
  const published = downloadFor(tool, machine);
  if (published === undefined) throw new Error(`the publisher has no file for ${machine.platform}`);
  const { url, sha256, sums, member } = published;
  const expected = sha256 ?? (sums ? await publishedSum(sums, path.basename(url)) : tool.sha256);
  const archive = downloadPath(machine, url);
  try {
    await fetchFile(url, archive, report);
    await checkSum(archive, expected);
    return await store(tool, machine, undefined, (target) => unpack(archive, member, target));
  } finally {
    await rm(archive, { force: true });
  }
}

/** Downloads an address into a file. */
export async function fetchFile(url: string, file: string, report: Report): Promise<void> {
  const response = await request(url);
  if (!response.ok || !response.body) throw new Error(`${url} returned ${response.status}`);
  await mkdir(path.dirname(file), { recursive: true });
  await pipeline(count(Readable.fromWeb(response.body), response, report), createWriteStream(file));
}

/** Returns the path of a download. */
export function downloadPath(machine: Machine, url: string): string {
  return path.join(machine.cache, "downloads", path.basename(url));
}

/** Returns whether an address responds within 5 seconds, with any status. */
export async function isReachable(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(5000);
  return fetch(url, { dispatcher, method: "HEAD", signal }).then(
    () => true,
    () => false,
  );
}

async function publishedSum(sums: string, name: string): Promise<string> {
  const response = await request(sums);
  if (!response.ok) throw new Error(`${sums} returned ${response.status}`);
  const lines = (await response.text())
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+\*?/));
  const sum = lines.find(([, file]) => file === name || file === undefined)?.[0];
  if (!sum || !/^[0-9a-f]{64}$/.test(sum)) throw new Error(`${sums} has no checksum of ${name}`);
  return sum;
}

async function request(url: string): Promise<Response> {
  try {
    return await fetch(url, { dispatcher, headers: { "accept-encoding": "identity" } });
  } catch (error) {
    throw new Error(`${new URL(url).host} cannot be reached: ${errorText(error)}`, { cause: error });
  }
}

async function* count(chunks: AsyncIterable<Uint8Array>, response: Response, report: Report) {
  const total = Number(response.headers.get("content-length") ?? 0);
  let done = 0;
  for await (const chunk of chunks) {
    done += chunk.length;
    report(
      total > 0 ? `downloading ${Math.floor((100 * done) / total)} %` : `downloading ${Math.floor(done / 1e6)} MB`,
    );
    yield chunk;
  }
}

async function unpack(archive: string, member: string | undefined, target: string): Promise<void> {
  if (member === undefined) return copyFile(archive, target);
  const out = await open(target, "w");
  try {
    const tar = spawn("tar", ["-xzOf", archive, member], { stdio: ["ignore", out.fd, "pipe"] });
    let output = "";
    tar.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(tar, "close")) as [number | null];
    if (code !== 0) throw new Error(`tar cannot unpack ${member}: ${output.trim()}`);
  } finally {
    await out.close();
  }
}
