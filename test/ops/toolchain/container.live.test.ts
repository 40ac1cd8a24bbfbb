/** The container image: its Dockerfile, and the installation of Pulumi in it with a script instead of Pulumi. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { writeExecutable } from "../../helpers/executable.ts";
import manifest from "../../../package.json" with { type: "json" };
import { installPulumi } from "../../../ops/toolchain/installPulumi.ts";
import { SILENT } from "../../../ops/terminal/progress.ts";

const PROJECT = path.join(import.meta.dirname, "../../..");
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "gatehouse-container-"));
  // A failed installation is remembered in the cache.
  vi.stubEnv("GATEHOUSE_CACHE", path.join(folder, "cache"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

/** A `pulumi version`, and a `pulumi plugin install resource NAME VERSION` that creates the plugin, or only the named one. */
function writePulumi(only = "*"): string {
  const file = path.join(folder, "pulumi");
  const script = `#!/bin/sh
if [ "$1" = version ]; then echo v3.250.0; exit; fi
case $4 in ${only}) ;; *) echo "$4 is not available" >&2; exit 1 ;; esac
plugin="$PULUMI_HOME/plugins/resource-$4-v$5"
mkdir -p "$plugin"
echo > "$plugin/pulumi-resource-$4"
chmod +x "$plugin/pulumi-resource-$4"
`;
  writeExecutable(file, script);
  return file;
}

const environment = { PATH: "/usr/bin:/bin", PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES: ".*=http://127.0.0.1" };

test("installs Pulumi and every provider plugin into one folder", async () => {
  const home = path.join(folder, "home");
  const pulumi = writePulumi();
  await installPulumi(pulumi, home, environment, SILENT);
  expect(await readFile(path.join(home, "bin", "pulumi"), "utf8")).toBe(await readFile(pulumi, "utf8"));
  expect((await readdir(path.join(home, "plugins"))).sort()).toEqual([
    "resource-kubernetes-v4.34.2",
    "resource-postgresql-v3.18.1",
    "resource-terraform-provider-v1.1.3",
  ]);
});

test("fails when a plugin cannot be installed, so that no image without it is built", async () => {
  const installed = installPulumi(writePulumi("kubernetes"), path.join(folder, "home"), environment, SILENT);
  await expect(installed).rejects.toThrow(
    "the provider plugins postgresql 3.18.1, terraform-provider 1.1.3 cannot be installed. " +
      "Let this machine reach https://get.pulumi.com, or set PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES.",
  );
});

test("prints why Pulumi could not install a plugin, without a stack trace", () => {
  writePulumi("kubernetes");
  const { status, stderr } = spawnSync(
    process.execPath,
    ["ops/toolchain/installPulumi.ts", path.join(folder, "home")],
    {
      cwd: PROJECT,
      env: { ...environment, PATH: `${folder}:${environment.PATH}`, GATEHOUSE_CACHE: path.join(folder, "cache") },
      encoding: "utf8",
    },
  );
  expect(status).toBe(1);
  expect(stderr).toContain("\npostgresql is not available\nthe provider plugins postgresql 3.18.1, ");
  expect(stderr).not.toContain("installPulumi.ts");
});

test("uses the Node.js of the packages in the image, and runs files of the project", async () => {
  const dockerfile = await readFile(path.join(PROJECT, "Dockerfile"), "utf8");
  expect(/^ARG NODE=([\d.]+)-/m.exec(dockerfile)?.[1]).toBe(manifest.optionalDependencies.node);
  const run = [...dockerfile.matchAll(/node (?:\/opt\/gatehouse\/)?(\S+\.ts)/g)].map(([, file = ""]) => file);
  expect(run).toHaveLength(4);
  expect(run.filter((file) => !existsSync(path.join(PROJECT, file)))).toEqual([]);
});

test("installs certificates of authorities before Pulumi downloads its plugins", async () => {
  const dockerfile = await readFile(path.join(PROJECT, "Dockerfile"), "utf8");
  expect(dockerfile.slice(0, dockerfile.indexOf("installPulumi.ts"))).toMatch(
    /^RUN .*apt-get install .*ca-certificates/m,
  );
});

test("copies the content of the image into folders that the group 0 can write to", async () => {
  const dockerfile = await readFile(path.join(PROJECT, "Dockerfile"), "utf8");
  // BuildKit creates the folder of a COPY with the mode 755, whatever that of its source is.
  const [, image = ""] = dockerfile.split(/^FROM .*(?<!AS build)$/m);
  const folders = [...image.matchAll(/^COPY .* (\S+)$/gm)].map(([, folder]) => folder);
  expect(/--group=0 --mode=775 (.*)/.exec(image)?.[1]?.split(" ").sort()).toEqual(folders.sort());
});

test("leaves every stack file of the repository in the image, which the access diff compares", async () => {
  const ignored = (await readFile(path.join(PROJECT, ".dockerignore"), "utf8")).split("\n");
  expect(ignored.filter((line) => line.startsWith("Pulumi."))).toEqual([]);
});

test("starts Gatehouse without npx, which does not pass signals on", async () => {
  const files = ["Dockerfile", "docs/container.md"].map((file) => readFile(path.join(PROJECT, file), "utf8"));
  const entryPoints = (await Promise.all(files)).map((text) => /^ENTRYPOINT (.*)$/m.exec(text)?.[1]);
  expect(entryPoints).toEqual([
    '["tini", "--", "gatehouse"]',
    '["tini", "--", "/project/node_modules/.bin/gatehouse"]',
  ]);
});

test("passes the mirror and the plugin servers that a message names to the installation", async () => {
  const dockerfile = await readFile(path.join(PROJECT, "Dockerfile"), "utf8");
  const before = dockerfile.slice(dockerfile.indexOf("AS build"), dockerfile.indexOf("installPulumi.ts"));
  expect([...before.matchAll(/^ARG (\w+)$/gm)].map(([, name]) => name)).toEqual([
    "GATEHOUSE_TOOLS_MIRROR",
    "PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES",
  ]);
});
