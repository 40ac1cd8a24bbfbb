/** Pulumi for the context of a cluster on every platform: the machine is data, the programs are scripts that print a version. */
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { platformProblem } from "../../../ops/launcher/localPlatform.js";
import { refuse } from "../../../ops/launcher/launch.js";
import { obtainTools } from "../../../ops/toolchain/toolchain.ts";
import pins from "../../../ops/toolchain/tools.json" with { type: "json" };
import { pinned, type Download, type Tool, type ToolName } from "../../../ops/toolchain/tools.ts";
import { sha256, Workbench } from "../workbench.ts";

const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"] as const;
let bench: Workbench;

beforeEach(async () => {
  bench = new Workbench();
  await bench.start();
  bench.withoutMirror();
});

afterEach(() => bench.stop());

function on(platform: string): void {
  bench.machine = { ...bench.machine, platform };
}

/** A `pulumi` that prints only its version. */
const pulumi = (version: string): string => `#!/bin/sh\necho v${version}\n`;

/** The pinned Pulumi, published on the server of the test, with another file for each platform. */
function published(): Tool {
  const download = PLATFORMS.map((platform) => {
    const content = `${pulumi("3.250.0")}# ${platform}\n`;
    bench.served.set(`pulumi-${platform}`, content);
    return [platform, { url: `${bench.address}/pulumi-${platform}`, sha256: sha256(content) }];
  });
  return { ...pinned("pulumi"), download: Object.fromEntries(download) as Record<string, Download> };
}

test.each([...PLATFORMS, "freebsd-x64"])(
  "%s: takes a newer Pulumi from PATH, and downloads nothing",
  async (platform) => {
    on(platform);
    const file = bench.putOnPath("pulumi", pulumi("3.260.1"));
    expect(await bench.get(published())).toBe(file);
    expect([bench.requests, bench.notes, existsSync(bench.machine.cache)]).toEqual([[], [], false]);
  },
);

test.each(PLATFORMS)("%s: downloads the archive of the platform into a folder of the platform", async (platform) => {
  on(platform);
  const file = await bench.get(published());
  expect(file).toBe(path.join(bench.machine.cache, "tools", `pulumi-3.250.0-${platform}`, "bin", "pulumi"));
  expect(await readFile(file, "utf8")).toContain(`# ${platform}\n`);
  expect([bench.requests, bench.notes]).toEqual([[`pulumi-${platform}`], []]);
});

test.each(PLATFORMS)("%s: refuses an archive with another checksum than the pinned one", async (platform) => {
  on(platform);
  const tool = published();
  bench.served.set(`pulumi-${platform}`, pulumi("3.250.0"));
  await expect(bench.get(tool)).rejects.toThrow(`- official download: its checksum is ${sha256(pulumi("3.250.0"))}`);
});

test("names both versions once when the Pulumi on PATH is too old, and uses the pinned one", async () => {
  on("darwin-arm64");
  const old = bench.putOnPath("pulumi", pulumi("3.100.0"));
  const tool = published();
  const file = path.join(bench.machine.cache, "tools", "pulumi-3.250.0-darwin-arm64", "bin", "pulumi");
  expect([await bench.get(tool), await bench.get(tool)]).toEqual([file, file]);
  expect(bench.notes).toEqual([`${old} is 3.100.0, older than 3.222.0. Gatehouse uses pulumi 3.250.0 instead.`]);
});

test("uses the pinned version when the program on PATH fails, as the shim of a version manager can", async () => {
  on("darwin-arm64");
  const shim = bench.putOnPath("pulumi", "#!/bin/sh\necho No version is set for pulumi >&2\nexit 126\n");
  await bench.get(published());
  expect(bench.notes).toEqual([
    `${shim} cannot be run: No version is set for pulumi. Gatehouse uses pulumi 3.250.0 instead.`,
  ]);
});

test("ignores another version on PATH for the local platform", async () => {
  bench.putOnPath("pulumi", pulumi("3.260.1"));
  const [file] = await obtainTools([published()], { ...bench.machine, local: true }, bench.progress);
  expect(file).toBe(path.join(bench.machine.cache, "tools", "pulumi-3.250.0-linux-x64", "bin", "pulumi"));
  expect(bench.notes).toEqual([]);
});

test("lists on a platform without an archive what helps there", async () => {
  on("freebsd-x64");
  bench.machine = { ...bench.machine, mirror: path.join(bench.folder, "mirror") };
  const old = bench.putOnPath("pulumi", pulumi("3.100.0"));
  await writeFile(path.join(bench.folder, "mirror", "pulumi-3.250.0-linux-x64.br"), "");
  const cached = path.join(bench.machine.cache, "tools", "pulumi-3.250.0-freebsd-x64", "bin", "pulumi");
  await expect(bench.get(published())).rejects.toThrow(`pulumi 3.250.0 is not available. Tried, in this order:
  - PATH: ${old} is 3.100.0, older than 3.222.0
  - cache: ${cached} does not exist
  - mirror: a mirror has programs for linux-x64 only
  - official download: the publisher has no file for freebsd-x64
  - build from Go modules: Go is not on PATH
To fix it, do one of these:
  - install Go 1.26 or newer and let it reach its module proxy (GOPROXY is respected)
  - put pulumi 3.222.0 or newer on PATH`);
});

test("downloads a plain file on every platform", async () => {
  on("darwin-arm64");
  const shapes: Tool = {
    name: "shapes",
    version: "4.5.6",
    sha256: sha256("a: 1"),
    download: { url: `${bench.address}/shapes.yaml` },
    build: { module: "example.org/shapes@v4.5.6", file: "shapes.yaml" },
  };
  bench.served.set("shapes.yaml", "a: 1");
  expect(await bench.get(shapes)).toBe(path.join(bench.machine.cache, "tools", "shapes-4.5.6", "shapes.yml"));
});

test("has the pinned version in every address of tools.json, and a pinned archive of Pulumi for each platform", () => {
  const names = Object.keys({ ...pins.programs, ...pins.files }) as ToolName[];
  expect(names).toHaveLength(12);
  for (const { version, download, sha256 } of names.map(pinned)) {
    const files = "url" in download ? [download] : Object.values(download);
    for (const file of files) {
      expect(file.url).toContain(`v${version}`);
      expect(file.sha256 ?? file.sums ?? file.url).toMatch(new RegExp(`^[0-9a-f]{64}$|v${version}`));
    }
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  }
  const archives = Object.entries<Download>(pins.programs.pulumi.download);
  expect(archives.map(([platform]) => platform)).toEqual(PLATFORMS);
  for (const [platform, { url, sha256 }] of archives) {
    expect(url).toMatch(new RegExp(`-${platform}\\.tar\\.gz$`));
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  }
  expect(new Set(archives.map(([, { sha256 }]) => sha256)).size).toBe(4);
});

test("rejects an unsupported platform only for programs of the local platform, in one sentence", () => {
  const sentence =
    "The local platform (npm start, npm test, npm run bench) requires Linux on x64, and this machine is darwin-arm64: " +
    "use an existing cluster with npx gatehouse deploy CONTEXT, or a virtual machine with Linux on x64.";
  expect(platformProblem("darwin-arm64")).toBe(sentence);
  for (const file of ["local/start.ts", "test/main.ts", "bench/main.ts"]) {
    expect(() => refuse(file, "darwin-arm64")).toThrow(sentence);
    expect(() => refuse(file, "linux-x64")).not.toThrow();
  }
  expect(() => refuse("ops/commands/gatehouse.ts", "darwin-arm64")).not.toThrow();
});
