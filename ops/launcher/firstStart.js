// The first start before the packages are installed, on a machine that has to build programs. Plain JavaScript without packages.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { availableParallelism, homedir } from "node:os";
import path from "node:path";
import process from "node:process";
import { LOCAL_PLATFORM as PLATFORM } from "./localPlatform.js";
import { which } from "./which.js";
import { BUILD, checkGo, goEnvironment, LOCAL_FOLDER, prepareModule } from "./goModule.js";
import { containsVersion } from "./versionOutput.js";

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
  const cache = path.resolve(environment.GATEHOUSE_CACHE || path.join(homedir(), ".cache", "gatehouse"));
  const searchPath = environment.PATH ?? "";
  const all = Object.entries(pins(project));
  const missing = all.filter(([name, pin]) => !isPresent(name, pin, cache, searchPath));
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
function isPresent(name, { version, versionArgument, build }, cache, searchPath) {
  const versions = [version, build.local?.version ?? version];
  const found = which(name, searchPath);
  return (
    // Of a program on PATH, the local platform uses the pinned version only (find.ts).
    (found !== undefined && prints(found, versionArgument, version)) ||
    versions.some((one) => existsSync(path.join(cache, "tools", `${name}-${one}-${PLATFORM}`, "bin", name)))
  );
}

/**
 * Returns whether a program prints exactly this version.
 * @param {string} file
 * @param {string} argument
 * @param {string} version
 */
function prints(file, argument, version) {
  const env = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" };
  const { stdout, stderr } = spawnSync(file, [argument], { encoding: "utf8", timeout: 20_000, env });
  return containsVersion(`${stdout}${stderr}`, version);
}

/**
 * @param {string} host
 * @param {string | undefined} proxy URL of a proxy for HTTPS, which Node.js does not use by itself
 */
export async function isReachable(host, proxy) {
  if (proxy) return admits(proxy, host);
  return globalThis.fetch(`https://${host}/`, { method: "HEAD", signal: AbortSignal.timeout(MAX_ANSWER_MS) }).then(
    () => true,
    () => false,
  );
}

/**
 * Returns whether a proxy opens a tunnel to a host; true for one that is not a plain HTTP proxy.
 * @param {string} proxy
 * @param {string} host
 * @returns {Promise<boolean>}
 */
function admits(proxy, host) {
  const address = proxy.includes("://") ? proxy : `http://${proxy}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== "http:") return Promise.resolve(true);
  const headers = url.username ? { "proxy-authorization": `Basic ${credentialsOf(url)}` } : {};
  const target = {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port || 80,
    method: "CONNECT",
    path: `${host}:443`,
    headers,
  };
  return new Promise((resolve) => {
    const tunnel = request({ ...target, timeout: MAX_ANSWER_MS });
    tunnel.once("connect", (response, socket) => {
      socket.destroy();
      resolve(response.statusCode === 200);
    });
    tunnel.once("timeout", () => tunnel.destroy(new Error("timeout")));
    tunnel.once("error", () => resolve(false));
    tunnel.end();
  });
}

/** @param {URL} url */
function credentialsOf({ username, password }) {
  const plain = [username, password].map((text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text; // a % that encodes nothing
    }
  });
  return Buffer.from(plain.join(":")).toString("base64");
}
