/** Where the pinned CLI installs provider plugins, and where the engine of a context finds them. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeExecutable } from "../../helpers/executable.ts";
import { findPlugins, emulatedPlugins } from "../../../ops/toolchain/plugins.ts";
import { ensureTools } from "../../../ops/toolchain/toolchain.ts";
import { pluginVersions } from "../../../ops/toolchain/tools.ts";
import { SILENT } from "../../../ops/terminal/progress.ts";

const NAMES = Object.keys(pluginVersions);
const folder = mkdtempSync(join(tmpdir(), "gatehouse-plugins-"));
let pulumi: string;
let server: Server;

/** Serves an archive with the plugin that is asked for. */
beforeAll(async () => {
  ({ pulumi } = await ensureTools(["pulumi"], SILENT, { local: true }));
  server = createServer((request, response) => {
    const name = /^(pulumi-resource-[a-z-]+)-v\d/.exec(basename(request.url ?? ""))?.[1];
    if (name === undefined) return void response.writeHead(404).end();
    writePlugin(folder, name);
    response.end(execFileSync("tar", ["-czf", "-", "-C", folder, name]));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

function writePlugin(into: string, name: string): void {
  writeExecutable(join(into, name), "#!/bin/sh\n");
}

/** A shell's environment; every test has a PULUMI_HOME, so that none writes into that of the user. */
function shell(home: string): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    PULUMI_HOME: join(folder, home),
    PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES: `.*=http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  };
}

/** The plugins that the engine has in an environment. */
function installed(environment: Record<string, string>): string[] {
  const env = { ...environment, PULUMI_SKIP_UPDATE_CHECK: "true" };
  const listed = execFileSync(pulumi, ["plugin", "ls", "--json"], { env, encoding: "utf8" });
  return (JSON.parse(listed) as { name: string }[]).map(({ name }) => name).sort();
}

test("installs the plugins where the engine finds them, also after a download that failed, and in no other home", async () => {
  const offline = { ...shell("own"), PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES: "(" };
  expect(emulatedPlugins(await findPlugins(pulumi, offline, SILENT)).map(({ name }) => name)).toEqual(NAMES);
  const found = await findPlugins(pulumi, shell("own"), SILENT);
  expect(emulatedPlugins(found)).toEqual([]);
  expect(installed(shell("own"))).toEqual([...NAMES].sort());
  expect(installed(shell("other"))).toEqual([]);
});

test("does not report a plugin of a home that the engine does not use", async () => {
  await findPlugins(pulumi, shell("own"), SILENT);
  server.closeAllConnections();
  const offline = { ...shell("other"), PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES: "(" };
  expect(emulatedPlugins(await findPlugins(pulumi, offline, SILENT)).map(({ name }) => name)).toEqual(NAMES);
});

test("does not take the engine's default home from HOME", () => {
  const plugin = join(folder, ".pulumi", "plugins", "resource-gatehouse-v1.0.0");
  mkdirSync(plugin, { recursive: true });
  writePlugin(plugin, "pulumi-resource-gatehouse");
  const { PATH = "" } = shell("own");
  expect(installed({ PATH, HOME: folder })).not.toContain("gatehouse");
  expect(installed({ PATH, PULUMI_HOME: join(folder, ".pulumi") })).toContain("gatehouse");
});
