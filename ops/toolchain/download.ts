import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, open, readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { EnvHttpProxyAgent, fetch, type Response } from "undici";
import { errorText } from "../../config/errorText.ts";
import { ChecksumError, checkSum, store } from "./store.ts";
import { downloadFor, type Machine, type Tool } from "./tools.ts";

/** Fails fast on a refused connection, but tolerates a slow one. Uses the proxies of the environment. */
const dispatcher = new EnvHttpProxyAgent({
  connect: { timeout: 10_000 },
  headersTimeout: 20_000,
  bodyTimeout: 30_000,
});

type Report = (detail: string) => void;

/** Downloads the publisher's file into the cache. @throws Error when it is not available, ChecksumError when its checksum differs */
export async function download(tool: Tool, machine: Machine, report: Report): Promise<string> {
  const published = downloadFor(tool, machine);
  if (published === undefined) throw new Error(`the publisher has no file for ${machine.platform}`);
  const { url, sha256, sums, member } = published;
  const expected = sha256 ?? (sums ? await publishedSum(sums, path.basename(url)) : tool.sha256);
  const archive = downloadPath(machine, url);
  await fetchChecked(url, archive, expected, report);
  const file = await store(tool, machine, url, undefined, (target) => unpack(archive, member, target));
  await rm(archive);
  return file;
}

/** Downloads an address into a file, and resumes an interrupted download. */
export async function fetchFile(url: string, file: string, report: Report): Promise<{ resumed: boolean }> {
  await mkdir(path.dirname(file), { recursive: true });
  const have = (await stat(file).catch(() => undefined))?.size ?? 0;
  const response = await request(url, have > 0 ? { range: `bytes=${have}-` } : {});
  if (response.status === 416) {
    await rm(file);
    return fetchFile(url, file, report);
  }
  if (!response.ok || !response.body) throw new Error(`${url} returned ${response.status}`);
  const resumed = response.status === 206 && (response.headers.get("content-range") ?? "").startsWith(`bytes ${have}-`);
  const counted = count(Readable.fromWeb(response.body), resumed ? have : 0, response, report);
  await pipeline(counted, createWriteStream(file, { flags: resumed ? "a" : "w" }));
  return { resumed };
}

/** Returns the path of an incomplete download. */
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

async function fetchChecked(url: string, file: string, expected: string, report: Report): Promise<void> {
  const { resumed } = await fetchFile(url, file, report);
  try {
    await checkSum(file, expected);
  } catch (error) {
    await rm(file);
    if (!(error instanceof ChecksumError && resumed)) throw error;
    // The file changed between the two parts: download it again from the start.
    await fetchChecked(url, file, expected, report);
  }
}

async function publishedSum(sums: string, name: string): Promise<string> {
  const response = await request(sums, {});
  if (!response.ok) throw new Error(`${sums} returned ${response.status}`);
  const lines = (await response.text())
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+\*?/));
  const sum = lines.find(([, file]) => file === name || file === undefined)?.[0];
  if (!sum || !/^[0-9a-f]{64}$/.test(sum)) throw new Error(`${sums} has no checksum of ${name}`);
  return sum;
}

async function request(url: string, headers: Record<string, string>): Promise<Response> {
  try {
    return await fetch(url, { dispatcher, headers: { "accept-encoding": "identity", ...headers } });
  } catch (error) {
    throw new Error(`${new URL(url).host} cannot be reached: ${errorText(error)}`, { cause: error });
  }
}

async function* count(chunks: AsyncIterable<Uint8Array>, start: number, response: Response, report: Report) {
  const total = start + Number(response.headers.get("content-length") ?? 0);
  let done = start;
  for await (const chunk of chunks) {
    done += chunk.length;
    report(
      total > start ? `downloading ${Math.floor((100 * done) / total)} %` : `downloading ${Math.floor(done / 1e6)} MB`,
    );
    yield chunk;
  }
}

async function unpack(archive: string, member: string | undefined, target: string): Promise<void> {
  const out = await open(target, "w");
  try {
    if (member === undefined) return await out.writeFile(await readFile(archive));
    const tar = spawn("tar", ["-xzOf", archive, member], { stdio: ["ignore", out.fd, "pipe"] });
    let output = "";
    tar.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(tar, "close")) as [number | null];
    if (code !== 0) throw new Error(`tar cannot unpack ${member}: ${output.trim()}`);
  } finally {
    await out.close();
  }
}
