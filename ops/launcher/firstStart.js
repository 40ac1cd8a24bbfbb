// The first start before the packages are installed, on a machine that has to build programs. Plain JavaScript without packages.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { availableParallelism } from "node:os";
import path from "node:path";
import process from "node:process";
import { urlToHttpOptions } from "node:url";
import { cacheFolder } from "./cacheFolder.js";
import { LOCAL_PLATFORM as PLATFORM } from "./localPlatform.js";
import { which } from "./which.js";
import { BUILD, checkGo, goEnvironment, LOCAL_FOLDER, prepareModule } from "./goModule.js";
import { containsVersion, versionOutput } from "./versionOutput.js";

/** CPU time that compiling and linking the programs of the local platform takes, in seconds (docs/toolchain.md). */
const BUILD_SECONDS = 700;
/** Installation of the packages and the deployment, in seconds. */
const OTHER_SECONDS = 90;
const MAX_ANSWER_MS = 5_000;

/**
 * @typedef {{ version: string, download: Record<string, { url: string }>, versionArgument: string, build: { package: string, local?: { version?: string } } }} Pin
 * @typedef {{ stop: () => Promise<void> }} Compilation
 */

/**
 * If programs have to be built, prints how long a first start takes, why, and what makes it faster. Returns the build; nothing
 * if all programs are available or can be downloaded, or without Go (`npm start` then fails with every remedy).
 * @param {string} project
 * @param {(line: string) => void} print
 * @param {NodeJS.ProcessEnv} environment of a machine on which the local platform runs
 * @returns {Promise<{ go: string, packages: string[], cache: string } | undefined>}
 */
export async function announceBuild(project, print, environment = process.env) {
  if (environment.GATEHOUSE_TOOLS_MIRROR) return undefined;
  const cache = cacheFolder(environment);
  const searchPath = environment.PATH ?? "";
  const all = Object.entries(pins(project));
  const present = await Promise.all(all.map(([name, pin]) => isPresent(name, pin, cache, searchPath)));
  const missing = all.filter((_, i) => !present[i]);
  const go = which("go", searchPath);
  if (missing.length === 0 || !go) return undefined;
  const hostOf = (/** @type {Pin} */ { download }) => new URL(download[PLATFORM]?.url ?? "").host;
  const hosts = [...new Set(missing.map(([, pin]) => hostOf(pin)))];
  const proxy = environment.HTTPS_PROXY || environment.https_proxy;
  const reached = await Promise.all(hosts.map((host) => isReachable(host, proxy)));
  const closed = hosts.filter((_, i) => !reached[i]);
  const unreachable = closed.join(" and ");
  const built = missing.filter(([, pin]) => closed.includes(hostOf(pin)));
  const isUsable = await checkGo(go).then(
    () => true,
    () => false,
  );
  if (unreachable === "" || !isUsable) return undefined;
  const cores = availableParallelism();
  const minutes = Math.ceil(((BUILD_SECONDS * built.length) / all.length / cores + OTHER_SECONDS) / 60);
  print(
    `This first start takes about ${minutes} min on ${cores} idle CPU cores, because it builds programs that are not on this machine: ` +
      `${built.map(([name]) => name).join(", ")}. ${unreachable} cannot be reached. Later starts take less than a minute.\n` +
      "To make it faster, set GATEHOUSE_TOOLS_MIRROR to a folder or an address that has the programs, or let this machine reach " +
      `${unreachable} (HTTPS_PROXY is respected).`,
  );
  return { go, cache, packages: built.map(([, { build }]) => build.package) };
}

/**
 * Compiles packages into Go's build cache, which the following build uses, until it is stopped. An error here occurs
 * in that build again, with a message.
 * @param {{ go: string, packages: string[], cache: string }} build
 * @returns {Compilation}
 */
export function startCompiling({ go, packages, cache }) {
  const stopped = new AbortController();
  const work = async () => {
    const { folder, remove } = await prepareModule(go, LOCAL_FOLDER, cache);
    try {
      const { signal } = stopped;
      // Without -o and for more than one package, nothing is linked.
      const child = spawn(go, [...BUILD, ...packages], { cwd: folder, env: goEnvironment(), stdio: "ignore", signal });
      process.once("exit", () => child.kill());
      await once(child, "close");
    } finally {
      remove();
    }
  };
  const done = work().catch(() => undefined);
  return { stop: () => (stopped.abort(), done) };
}

/**
 * Returns the pins of the programs of the local platform.
 * @param {string} project
 * @returns {Record<string, Pin>}
 */
function pins(project) {
  /** @type {unknown} */
  const tools = JSON.parse(readFileSync(path.join(project, "ops", "toolchain", "tools.json"), "utf8"));
  const { programs } = /** @type {{ programs: Record<string, Pin> }} */ (tools);
  return Object.fromEntries(Object.entries(programs).filter(([, { build }]) => build.local));
}

/**
 * @param {string} name
 * @param {Pin} pin
 * @param {string} cache
 * @param {string} searchPath
 */
async function isPresent(name, { version, versionArgument, build }, cache, searchPath) {
  const versions = [version, build.local?.version ?? version];
  if (versions.some((one) => existsSync(path.join(cache, "tools", `${name}-${one}-${PLATFORM}`, "bin", name))))
    return true;
  const found = which(name, searchPath);
  // Of a program on PATH, the local platform uses the pinned version only (find.ts).
  return found !== undefined && containsVersion(await versionOutput(found, versionArgument).catch(() => ""), version);
}

/**
 * @param {string} host
 * @param {string | undefined} proxy URL of a proxy for HTTPS, which Node.js does not use by itself
 */
export async function isReachable(host, proxy) {
  const signal = AbortSignal.timeout(MAX_ANSWER_MS);
  const answered = proxy
    ? admits(proxy, host, signal)
    : globalThis.fetch(`https://${host}/`, { method: "HEAD", signal }).then(() => true);
  return answered.catch(() => false);
}

/**
 * Returns whether a proxy opens a tunnel to a host; true for one that is not a plain HTTP proxy. Throws if it does not answer, and for credentials with
 * a % that encodes nothing, with which the downloads fail, too.
 * @param {string} proxy
 * @param {string} host
 * @param {AbortSignal} signal
 */
async function admits(proxy, host, signal) {
  const address = proxy.includes("://") ? proxy : `http://${proxy}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== "http:") return true;
  const { hostname, port, auth } = urlToHttpOptions(url);
  const headers = auth ? { "proxy-authorization": `Basic ${Buffer.from(auth).toString("base64")}` } : {};
  const tunnel = request({ hostname, port, method: "CONNECT", path: `${host}:443`, headers, signal }).end();
  const connected = await once(tunnel, "connect");
  const [response, socket] = /** @type {[import("node:http").IncomingMessage, import("node:net").Socket]} */ (
    connected
  );
  socket.destroy();
  return response.statusCode === 200;
}
