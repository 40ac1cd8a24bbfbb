import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { brotliCompressSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { build } from "../../../ops/toolchain/build.ts";
import { store } from "../../../ops/toolchain/store.ts";
import { UserError } from "../../../config/errors/userError.ts";
import { obtainTools } from "../../../ops/toolchain/toolchain.ts";
import type { Tool } from "../../../ops/toolchain/tools.ts";
import { program, sha256, Workbench } from "../workbench.ts";

let bench: Workbench;

beforeEach(async () => {
  bench = new Workbench();
  await bench.start();
});

afterEach(() => bench.stop());

test("uses a program of the right version on PATH without any request", async () => {
  const file = bench.putOnPath("probe", program("1.2.3"));
  await bench.putInMirror(program("1.2.3"));
  expect(await bench.get()).toBe(file);
  expect(bench.steps).toEqual([]);
  expect(existsSync(bench.machine.cache)).toBe(false);
});

test.each(["1.2.4", "1.2.30", "11.2.3", "1.2.3-rc.1", "1.2.3+vendor"])("skips version %s on PATH", async (version) => {
  bench.putOnPath("probe", program(version));
  await bench.putInMirror(program("1.2.3"));
  expect(await bench.get()).toBe(bench.cached);
});

test("searches the cache, then the mirror, then downloads", async () => {
  await bench.putInMirror(program("1.2.3"));
  bench.publish(`${program("1.2.3")}# published`);
  expect(await bench.get()).toBe(bench.cached);
  expect(await readFile(bench.cached, "utf8")).toBe(program("1.2.3"));
  await rm(path.join(bench.folder, "mirror"), { recursive: true });
  expect(await bench.get()).toBe(bench.cached);
  expect(bench.steps).toEqual(["Getting probe 1.2.3"]);
  expect(bench.requests).toEqual([]);
});

test("accepts an address as mirror", async () => {
  bench.machine = { ...bench.machine, mirror: `${bench.address}/tools/` };
  bench.served.set("probe-1.2.3-linux-x64.br", brotliCompressSync(program("1.2.3")));
  expect(await bench.get()).toBe(bench.cached);
  expect(bench.requests).toEqual(["probe-1.2.3-linux-x64.br"]);
});

test("refuses a mirror's file with another checksum, reports it, and downloads the release", async () => {
  const forged = `${program("1.2.3")}# forged`;
  await bench.putInMirror(forged);
  bench.publish(program("1.2.3"));
  await bench.get();
  expect(await readFile(bench.cached, "utf8")).toBe(program("1.2.3"));
  expect(bench.notes).toEqual([
    `probe 1.2.3 is not available from the mirror: ${bench.machine.mirror}/probe-1.2.3-linux-x64.br was rejected: ` +
      `its checksum is ${sha256(forged)}, expected ${bench.probe().sha256}`,
  ]);
});

test("replaces an empty file of the cache, and removes temporary files", async () => {
  await bench.putInMirror(program("1.2.3"));
  await bench.get();
  await writeFile(bench.cached, "");
  await writeFile(`${bench.cached}.99.partial`, "half");
  expect(await readFile(await bench.get(), "utf8")).toBe(program("1.2.3"));
  const steps = bench.steps.length;
  await bench.get();
  expect(bench.steps).toHaveLength(steps);
  expect(await readdir(path.dirname(bench.cached))).toEqual(["probe"]);
});

test("builds a program in a copy of its module, once for two runs at the same time", async () => {
  bench.withoutMirror();
  const builds = await bench.installGo();
  expect(await Promise.all([bench.get(), bench.get()])).toEqual([bench.cached, bench.cached]);
  expect(await builds()).toBe("build in etcd with go.mod there\n");
});

const local = { version: "1.2.3+local", ldflags: "-s", usually: "1 min" };

test("builds the programs of one module that wait together at once", async () => {
  const builds = await bench.installGo();
  const other: Tool = {
    ...bench.probe({ name: "other" }),
    build: { folder: "etcd", package: "example.org/other/v3", ldflags: "-s", usually: "1 min" },
  };
  const built = [bench.probe(), other].map((tool) => build(tool, bench.machine, () => undefined));
  const { cache } = bench.machine;
  expect(await Promise.all(built)).toEqual([
    bench.cached,
    path.join(cache, "tools", "other-1.2.3-linux-x64", "bin", "other"),
  ]);
  expect(await builds()).toBe("build in etcd with go.mod there\n");
});

test("builds the local variant for the local platform, and uses it for nothing else", async () => {
  bench.withoutMirror();
  const builds = await bench.installGo("1.2.3+local");
  const tool = bench.probe({
    build: { folder: "etcd", package: "example.org/probe", ldflags: "-s", usually: "1 min", local },
  });
  const platform = { ...bench.machine, local: true };
  const variant = path.join(platform.cache, "tools", "probe-1.2.3+local-linux-x64", "bin", "probe");
  expect(await obtainTools([tool], platform, bench.progress)).toEqual([variant]);
  expect(await obtainTools([tool], platform, bench.progress)).toEqual([variant]);
  expect(await builds()).toBe("build in local with go.mod there\n");

  await expect(bench.get(tool)).rejects.toThrow('is not version 1.2.3, it prints "probe version: v1.2.3+local"');
  expect(await builds()).toBe("build in local with go.mod there\nbuild in etcd with go.mod there\n");
});

test("uses a local variant from the cache, but an official release on PATH first", async () => {
  bench.withoutMirror();
  await bench.installGo("1.2.3+local");
  const tool = bench.probe({
    build: { folder: "etcd", package: "example.org/probe", ldflags: "-s", usually: "1 min", local },
  });
  const platform = { ...bench.machine, local: true };
  await obtainTools([tool], platform, bench.progress);
  await bench.putInMirror(program("1.2.3"));
  expect(await obtainTools([tool], { ...platform, mirror: path.join(bench.folder, "mirror") }, bench.progress)).toEqual(
    [path.join(platform.cache, "tools", "probe-1.2.3+local-linux-x64", "bin", "probe")],
  );
  const official = bench.putOnPath("probe", program("1.2.3"));
  expect(await obtainTools([tool], platform, bench.progress)).toEqual([official]);
});

test("takes over the lock of a process that has ended", async () => {
  await bench.putInMirror(program("1.2.3"));
  const lock = path.join(bench.machine.cache, "locks", "probe-1.2.3-linux-x64.lock");
  await mkdir(lock, { recursive: true });
  await utimes(lock, new Date(Date.now() - 60_000), new Date(Date.now() - 60_000));
  expect(await bench.get()).toBe(bench.cached);
  expect(existsSync(lock)).toBe(false);
});

test("refuses a program that prints no version although its checksum matches", async () => {
  bench.machine = { ...bench.machine, path: "" };
  await bench.putInMirror(program("9.9.9"));
  await expect(bench.get(bench.probe({ sha256: sha256(program("9.9.9")) }))).rejects.toThrow(
    'is not version 1.2.3, it prints "probe version: v9.9.9"',
  );
  expect(existsSync(bench.cached)).toBe(false);
});

test("lists in one error every source of every tool, why it failed, and the hints", async () => {
  bench.server.close();
  bench.server.closeAllConnections();
  bench.withoutMirror();
  const file = bench.putOnPath("probe", program("1.0.0"));
  const go = bench.putOnPath("go", "#!/bin/sh\necho go1.21.3\n");
  const plain: Tool = {
    name: "shapes",
    version: "4.5.6",
    sha256: sha256("a: 1"),
    download: { url: `${bench.address}/shapes.yaml` },
    build: { module: "example.org/shapes@v4.5.6", file: "shapes.yaml" },
  };
  const host = bench.address.slice("http://".length);
  await expect(obtainTools([bench.probe(), plain], bench.machine, bench.progress)).rejects.toThrow(
    new UserError(`probe 1.2.3 is not available. Tried, in this order:
  - PATH: ${file} is not version 1.2.3, it prints "probe version: v1.0.0"
  - cache: ${bench.cached} does not exist
  - mirror: GATEHOUSE_TOOLS_MIRROR is not set
  - official download: ${host} cannot be reached: connect ECONNREFUSED ${host}
  - build from Go modules: ${go} is go1.21.3, older than 1.26
shapes 4.5.6 is not available. Tried, in this order:
  - PATH: a plain file is not searched on PATH
  - cache: ${bench.machine.cache}/tools/shapes-4.5.6/shapes.yml does not exist
  - mirror: GATEHOUSE_TOOLS_MIRROR is not set
  - official download: ${host} cannot be reached: connect ECONNREFUSED ${host}
  - build from Go modules: ${go} is go1.21.3, older than 1.26
To fix it, do one of these:
  - set GATEHOUSE_TOOLS_MIRROR to a folder or an http(s) address that contains probe-1.2.3-linux-x64.br, shapes-4.5.6.yml.br
  - let this machine reach ${host} (HTTPS_PROXY is respected)
  - install Go 1.26 or newer and let it reach its module proxy (GOPROXY is respected)
  - put probe 1.2.3 on PATH`),
  );
});

test("reports a read-only cache with a hint", async () => {
  await writeFile(bench.machine.cache, "a file where the folder should be");
  await expect(bench.get()).rejects.toThrow(
    /- cache: the cache folder .* cannot be created or written \(ENOTDIR\)\. Set GATEHOUSE_CACHE to .*\.\n/,
  );
});

test("stores a copy of a read-only file, such as one of Go's module cache, as a writable one", async () => {
  const crds: Tool = { name: "sample-crds", version: "1.2.3" } as Tool;
  const file = await store(crds, bench.machine, undefined, (target) =>
    writeFile(target, "kind: List\n", { mode: 0o444 }),
  );
  expect((await stat(file)).mode & 0o777).toBe(0o644);
});
