import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeExecutable } from "../../helpers/executable.ts";
import { announceBuild, isReachable } from "../../../ops/launcher/firstStart.js";
import { packageFolder } from "../../../config/files/folders.ts";

const PROGRAMS = ["etcd", "kube-apiserver", "kube-controller-manager", "pulumi", "traefik"];
let folder: string;
let environment: Record<string, string>;
let proxy: Server;
/** Whether the proxy opens a tunnel to a host. */
let admits: (host: string) => boolean;

beforeEach(async () => {
  proxy = createServer();
  proxy.on("connect", ({ url = "" }, socket) => {
    socket.end(`HTTP/1.1 ${admits(url.replace(/:443$/, "")) ? "200 OK" : "403 Forbidden"}\r\n\r\n`);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  folder = mkdtempSync(path.join(tmpdir(), "gatehouse-first-start-"));
  environment = {
    PATH: path.join(folder, "bin"),
    GATEHOUSE_CACHE: path.join(folder, "cache"),
    HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
  };
  install(path.join(folder, "bin", "go"), "#!/bin/sh\necho go1.26.8\n");
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  proxy.close();
});

function install(file: string, content = ""): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeExecutable(file, content);
}

async function announce(reaches: (host: string) => boolean): Promise<{ lines: string[]; packages?: string[] }> {
  admits = reaches;
  const lines: string[] = [];
  const print = (line: string): void => void lines.push(line);
  const build = await announceBuild(packageFolder(), print, environment);
  return build ? { lines, packages: build.packages } : { lines };
}

const nothing = { lines: [] };
const offline = (): boolean => false;

test("prints what is built, why, how long it takes and what makes it faster", async () => {
  const { lines, packages } = await announce(offline);
  const cores = availableParallelism();
  const [line = ""] = lines;
  expect(line).toMatch(new RegExp(`^This first start takes about \\d+ min on ${cores} idle CPU cores`));
  expect(line).toContain(`programs that are not on this machine: ${PROGRAMS.join(", ")}. `);
  expect(line).toContain("github.com and dl.k8s.io cannot be reached.");
  expect(line).toContain("set GATEHOUSE_TOOLS_MIRROR to a folder");
  expect(lines).toHaveLength(1);
  expect(packages).toEqual([
    "go.etcd.io/etcd/server/v3",
    "k8s.io/kubernetes/cmd/kube-apiserver",
    "k8s.io/kubernetes/cmd/kube-controller-manager",
    "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
    "github.com/traefik/traefik/v3/cmd/traefik",
  ]);
});

test("prints only programs whose pinned version is neither on PATH nor, in any variant, in the cache", async () => {
  install(path.join(folder, "bin", "etcd"), "#!/bin/sh\necho etcd Version: 3.6.6\n");
  install(path.join(folder, "bin", "traefik"), "#!/bin/sh\necho Version: 3.7.5-k3s1\n");
  install(path.join(folder, "cache", "tools", "pulumi-3.250.0+local-linux-x64", "bin", "pulumi"));
  const { packages } = await announce(offline);
  expect(packages).toEqual([
    "k8s.io/kubernetes/cmd/kube-apiserver",
    "k8s.io/kubernetes/cmd/kube-controller-manager",
    "github.com/traefik/traefik/v3/cmd/traefik",
  ]);
});

test("prints and builds only programs whose host cannot be reached", async () => {
  const { lines, packages } = await announce((host) => host !== "dl.k8s.io");
  const names = "kube-apiserver, kube-controller-manager. dl.k8s.io cannot be reached.";
  expect(lines).toEqual([expect.stringContaining(`programs that are not on this machine: ${names}`)]);
  expect(packages).toEqual(["k8s.io/kubernetes/cmd/kube-apiserver", "k8s.io/kubernetes/cmd/kube-controller-manager"]);
});

test("prints nothing if no program is built", async () => {
  expect(await announce(() => true)).toEqual(nothing);

  environment["GATEHOUSE_TOOLS_MIRROR"] = folder;
  expect(await announce(offline)).toEqual(nothing);
  delete environment["GATEHOUSE_TOOLS_MIRROR"];

  install(path.join(folder, "bin", "go"), "#!/bin/sh\necho go1.21.3\n");
  expect(await announce(offline)).toEqual(nothing);
  rmSync(path.join(folder, "bin", "go"));
  expect(await announce(offline)).toEqual(nothing);
});

test("signs in at the proxy, and reports one that is gone or has other credentials", async () => {
  const strict = createServer();
  strict.on("connect", ({ url, headers }, socket) => {
    const admitted = url === "registry.example.org:443" && headers["proxy-authorization"] === "Basic bWU6cEBzcw==";
    socket.end(`HTTP/1.1 ${admitted ? "200 OK" : "403 Forbidden"}\r\n\r\n`);
  });
  await new Promise<void>((resolve) => strict.listen(0, "127.0.0.1", resolve));
  const { port } = strict.address() as AddressInfo;
  const at = (host: string) => isReachable(host, `http://me:p%40ss@127.0.0.1:${port}`);
  expect(await Promise.all([at("registry.example.org"), at("github.com")])).toEqual([true, false]);
  strict.close();
  await once(strict, "close");
  expect(await at("registry.example.org")).toBe(false);
  expect(await isReachable("registry.example.org", `http://me:50%off@127.0.0.1:${port}`)).toBe(false);
});
