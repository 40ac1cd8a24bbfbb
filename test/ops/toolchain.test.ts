import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { brotliCompressSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Progress } from "../../ops/progress.ts";
import { obtainTools, ToolchainError } from "../../ops/toolchain/toolchain.ts";
import { pinned, type Machine, type Tool } from "../../ops/toolchain/tools.ts";

const program = (version: string) => `#!/bin/sh\necho "probe version: v${version}"\n`;
const sha256 = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");

let folder: string;
let machine: Machine;
let mirror: string;
let server: Server;
let address: string;
let served: Map<string, Buffer | string>;
let requests: string[];
let notes: string[];
let steps: string[];

const progress: Progress = {
  step: (title, work) => {
    steps.push(title);
    return work(() => undefined);
  },
  note: (line) => void notes.push(line),
};

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "gatehouse-toolchain-"));
  mirror = path.join(folder, "mirror");
  await mkdir(mirror);
  machine = { cache: path.join(folder, "cache"), mirror, path: path.join(folder, "bin") };
  served = new Map();
  requests = [];
  notes = [];
  steps = [];
  server = createServer((request, response) => {
    const name = path.basename(request.url ?? "");
    const range = /bytes=(\d+)-/.exec(request.headers.range ?? "");
    requests.push(range ? `${name} from ${range[1]}` : name);
    const content = served.get(name);
    if (content === undefined) return void response.writeHead(404).end();
    const whole = Buffer.from(content);
    if (!range) return void response.end(whole);
    const start = Number(range[1]);
    if (start >= whole.length) return void response.writeHead(416).end();
    response.writeHead(206, { "content-range": `bytes ${start}-${whole.length - 1}/${whole.length}` });
    response.end(whole.subarray(start));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

function probe(changes: Partial<Tool> = {}): Tool {
  return {
    name: "probe",
    version: "1.2.3",
    sha256: sha256(program("1.2.3")),
    versionArgument: "--version",
    download: { url: `${address}/probe`, sums: `${address}/probe.sha256` },
    build: { folder: "etcd", package: "example.org/probe", ldflags: "-s", usually: "1 min" },
    ...changes,
  };
}

const cached = () => path.join(machine.cache, "tools", "probe-1.2.3", "bin", "probe");

async function get(tool: Tool): Promise<string> {
  const [file = ""] = await obtainTools([tool], machine, progress);
  return file;
}

async function putOnPath(name: string, content: string): Promise<string> {
  const file = path.join(machine.path, name);
  await mkdir(machine.path, { recursive: true });
  await writeFile(file, content);
  await chmod(file, 0o755);
  return file;
}

async function putInMirror(content: string): Promise<void> {
  await writeFile(path.join(mirror, "probe-1.2.3-linux-x64.br"), brotliCompressSync(content));
}

function publish(content: string): void {
  served.set("probe", content).set("probe.sha256", `${sha256(content)}\n`);
}

/** A `go` that builds the probe and counts how often it did. */
async function installGo(version = "go1.26.8"): Promise<() => Promise<string>> {
  const log = path.join(folder, "builds");
  await writeFile(log, "");
  await writeFile(path.join(folder, "built"), program("1.2.3"));
  const lines = [
    "#!/bin/sh",
    `if [ "$1" = env ]; then echo ${version}; exit; fi`,
    `echo "$1 in $(basename "$PWD") with go.mod $(test -f go.mod && echo there)" >> ${log}`,
    'while [ "$1" != -o ]; do shift; done',
    `cp ${path.join(folder, "built")} "$2"`,
  ];
  await putOnPath("go", lines.join("\n"));
  return () => readFile(log, "utf8");
}

test("a program of the right version on PATH is taken as it is, and nothing is fetched", async () => {
  const file = await putOnPath("probe", program("1.2.3"));
  await putInMirror(program("1.2.3"));
  expect(await get(probe())).toBe(file);
  expect(steps).toEqual([]);
  expect(existsSync(machine.cache)).toBe(false);
});

test.each(["1.2.4", "1.2.30", "11.2.3", "1.2.3-rc.1", "1.2.3+vendor"])(
  "version %s on PATH is passed over",
  async (version) => {
    await putOnPath("probe", program(version));
    await putInMirror(program("1.2.3"));
    expect(await get(probe())).toBe(cached());
  },
);

test("the mirror comes before the download, the cache before both", async () => {
  await putInMirror(program("1.2.3"));
  publish(`${program("1.2.3")}# published`);
  expect(await get(probe())).toBe(cached());
  expect(await readFile(cached(), "utf8")).toBe(program("1.2.3"));
  await rm(mirror, { recursive: true });
  expect(await get(probe())).toBe(cached());
  expect(steps).toEqual(["Getting probe 1.2.3"]);
  expect(requests).toEqual([]);
});

test("a mirror may be an address", async () => {
  machine = { ...machine, mirror: `${address}/tools/` };
  served.set("probe-1.2.3-linux-x64.br", brotliCompressSync(program("1.2.3")));
  expect(await get(probe())).toBe(cached());
  expect(requests).toEqual(["probe-1.2.3-linux-x64.br"]);
});

test("a mirror's file with another checksum is refused, told, and the next way is taken", async () => {
  const forged = `${program("1.2.3")}# forged`;
  await putInMirror(forged);
  publish(program("1.2.3"));
  await get(probe());
  expect(await readFile(cached(), "utf8")).toBe(program("1.2.3"));
  expect(notes).toEqual([
    `probe 1.2.3 does not come from the mirror: ${mirror}/probe-1.2.3-linux-x64.br is refused: ` +
      `its checksum is ${sha256(forged)}, expected ${probe().sha256}`,
  ]);
});

test("a published archive is checked against the publisher's list, unpacked and removed", async () => {
  machine = { ...machine, mirror: undefined };
  await mkdir(path.join(folder, "probe-dist"));
  await writeFile(path.join(folder, "probe-dist", "probe"), program("1.2.3"));
  await promisify(execFile)("tar", ["-czf", "probe.tar.gz", "probe-dist/probe"], { cwd: folder });
  const archive = await readFile(path.join(folder, "probe.tar.gz"));
  served
    .set("probe.tar.gz", archive)
    .set("sums.txt", `${"0".repeat(64)}  other.tar.gz\n${sha256(archive)} *probe.tar.gz\n`);
  const download = { url: `${address}/probe.tar.gz`, sums: `${address}/sums.txt`, member: "probe-dist/probe" };
  expect(await readFile(await get(probe({ download })), "utf8")).toBe(program("1.2.3"));
  expect(await readdir(path.join(machine.cache, "downloads"))).toEqual([]);
});

test("a download with another checksum is refused and not kept", async () => {
  machine = { ...machine, mirror: undefined };
  publish(program("1.2.3"));
  served.set("probe", "forged");
  await expect(get(probe())).rejects.toThrow(
    `- official download: its checksum is ${sha256("forged")}, expected ${sha256(program("1.2.3"))}\n`,
  );
  expect(existsSync(cached())).toBe(false);
  expect(await readdir(path.join(machine.cache, "downloads"))).toEqual([]);
});

test("a download goes on where the last one broke off", async () => {
  machine = { ...machine, mirror: undefined };
  publish(program("1.2.3"));
  await mkdir(path.join(machine.cache, "downloads"), { recursive: true });
  await writeFile(path.join(machine.cache, "downloads", "probe"), program("1.2.3").slice(0, 10));
  expect(await readFile(await get(probe()), "utf8")).toBe(program("1.2.3"));
  expect(requests).toEqual(["probe.sha256", "probe from 10"]);
});

test.each([
  ["of other bytes", "other"],
  ["that is too long", "x".repeat(200)],
])("a half download %s is fetched again from the start", async (_, half) => {
  machine = { ...machine, mirror: undefined };
  publish(program("1.2.3"));
  await mkdir(path.join(machine.cache, "downloads"), { recursive: true });
  await writeFile(path.join(machine.cache, "downloads", "probe"), half);
  expect(await readFile(await get(probe()), "utf8")).toBe(program("1.2.3"));
  expect(requests).toEqual(["probe.sha256", `probe from ${half.length}`, "probe"]);
});

test("a file in the cache without its full content is replaced, and left-overs are swept", async () => {
  await putInMirror(program("1.2.3"));
  await get(probe());
  await writeFile(cached(), "");
  await writeFile(`${cached()}.99.partial`, "half");
  expect(await readFile(await get(probe()), "utf8")).toBe(program("1.2.3"));
  await rm(`${cached()}.origin.json`);
  await get(probe());
  expect(steps).toHaveLength(3);
  expect(await readdir(path.dirname(cached()))).toEqual(["probe", "probe.origin.json"]);
});

test("a program is built in a copy of its module, once for two runs at the same time", async () => {
  machine = { ...machine, mirror: undefined };
  const builds = await installGo();
  expect(await Promise.all([get(probe()), get(probe())])).toEqual([cached(), cached()]);
  expect(await builds()).toBe("build in probe with go.mod there\n");
});

test("the lock of a run that died is taken over", async () => {
  await putInMirror(program("1.2.3"));
  const lock = path.join(machine.cache, "locks", "probe-1.2.3.lock");
  await mkdir(lock, { recursive: true });
  await utimes(lock, new Date(Date.now() - 60_000), new Date(Date.now() - 60_000));
  expect(await get(probe())).toBe(cached());
  expect(existsSync(lock)).toBe(false);
});

test("a program that does not tell its version is refused although its checksum holds", async () => {
  machine = { ...machine, path: "" };
  await putInMirror(program("9.9.9"));
  await expect(get(probe({ sha256: sha256(program("9.9.9")) }))).rejects.toThrow(
    'is not version 1.2.3, it says "probe version: v9.9.9"',
  );
  expect(existsSync(cached())).toBe(false);
});

test("where nothing works, one error lists every way for every tool, why it failed, and the cures", async () => {
  server.close();
  server.closeAllConnections();
  machine = { ...machine, mirror: undefined };
  const file = await putOnPath("probe", program("1.0.0"));
  const go = await putOnPath("go", "#!/bin/sh\necho go1.21.3\n");
  const plain: Tool = {
    name: "shapes",
    version: "4.5.6",
    sha256: sha256("a: 1"),
    download: { url: `${address}/shapes.yaml` },
    build: { module: "example.org/shapes@v4.5.6", file: "shapes.yaml", usually: "20 s" },
  };
  const host = address.slice("http://".length);
  await expect(obtainTools([probe(), plain], machine, progress)).rejects.toThrow(
    new ToolchainError(`probe 1.2.3 could not be had. Tried, in this order:
  - PATH: ${file} is not version 1.2.3, it says "probe version: v1.0.0"
  - cache: no ${cached()}
  - mirror: GATEHOUSE_TOOLS_MIRROR is not set
  - official download: ${host} cannot be reached: connect ECONNREFUSED ${host}
  - build from Go modules: ${go} is go1.21.3, older than 1.26
shapes 4.5.6 could not be had. Tried, in this order:
  - PATH: a plain file is not looked for there
  - cache: no ${machine.cache}/tools/shapes-4.5.6/shapes.yml
  - mirror: GATEHOUSE_TOOLS_MIRROR is not set
  - official download: ${host} cannot be reached: connect ECONNREFUSED ${host}
  - build from Go modules: ${go} is go1.21.3, older than 1.26
Any one of these mends it:
  - set GATEHOUSE_TOOLS_MIRROR to a folder or an http(s) address that holds probe-1.2.3-linux-x64.br, shapes-4.5.6.yml.br
  - let this machine reach ${host} (HTTPS_PROXY is respected)
  - install Go 1.26 or newer and let it reach its module proxy (GOPROXY is respected)
  - put probe 1.2.3 on PATH`),
  );
});

test("a cache that cannot be written is told with its cure", async () => {
  await writeFile(machine.cache, "a file where the folder should be");
  await expect(get(probe())).rejects.toThrow(
    /- cache: ENOTDIR: .*; set GATEHOUSE_CACHE to a folder that can be written\n/,
  );
});

test("every address of tools.json carries the pinned version", () => {
  for (const name of [
    "etcd",
    "kube-apiserver",
    "kube-controller-manager",
    "pulumi",
    "traefik",
    "traefik-crds",
    "externaldns-crds",
  ] as const) {
    const { version, download, sha256 } = pinned(name);
    expect(download.url).toContain(`v${version}`);
    expect(download.sums ?? download.url).toContain(`v${version}`);
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  }
});
