/** The container image: its Dockerfile, and the installation of Pulumi in it with a script instead of Pulumi. */
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { writeExecutable } from "../../helpers/executable.ts";
import manifest from "../../../package.json" with { type: "json" };
import { installPulumi } from "../../../ops/toolchain/installPulumi.ts";
import { quiet } from "../../helpers/quiet.ts";

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

/** A `pulumi plugin install resource NAME VERSION` that creates the plugin, or only the named one. */
function writePulumi(only = "*"): string {
  const file = path.join(folder, "pulumi");
  const script = `#!/bin/sh
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
  await installPulumi(pulumi, home, environment, quiet);
  expect(await readFile(path.join(home, "bin", "pulumi"), "utf8")).toBe(await readFile(pulumi, "utf8"));
  expect((await readdir(path.join(home, "plugins"))).sort()).toEqual([
    "resource-kubernetes-v4.34.2",
    "resource-postgresql-v3.18.1",
    "resource-terraform-provider-v1.1.3",
  ]);
});

test("fails when a plugin cannot be installed, so that no image without it is built", async () => {
  const installed = installPulumi(writePulumi("kubernetes"), path.join(folder, "home"), environment, quiet);
  await expect(installed).rejects.toThrow(
    "the provider plugins postgresql 3.18.1, terraform-provider 1.1.3 cannot be installed. Let this machine reach https://get.pulumi.com.",
  );
});

test("uses the Node.js of the packages in the image, and runs files of the project", async () => {
  const dockerfile = await readFile(path.join(PROJECT, "Dockerfile"), "utf8");
  expect(/^ARG NODE=([\d.]+)-/m.exec(dockerfile)?.[1]).toBe(manifest.optionalDependencies.node);
  const run = [...dockerfile.matchAll(/node (?:\/opt\/gatehouse\/)?(\S+\.ts)/g)].map(([, file = ""]) => file);
  expect(run).toHaveLength(4);
  expect(run.filter((file) => !existsSync(path.join(PROJECT, file)))).toEqual([]);
});
