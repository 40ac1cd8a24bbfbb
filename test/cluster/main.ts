/**
 * `npm run test:cluster`: deploys the program onto a real Kubernetes node on this machine. The node and the tests run in namespaces of
 * their own, which the kernel removes when this process ends, however it ends. Prepares here what needs a network.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { lock } from "proper-lockfile";
import { parseStack, readStackFile } from "../../config/load.ts";
import { describeAuthentik, findAuthentik } from "../../local/platform/authentik.ts";
import { writeLaunchers } from "../../local/platform/launchers.ts";
import { packageFolder } from "../../config/files/folders.ts";
import { createProgress } from "../../ops/terminal/progress.ts";
import { findPlugins } from "../../ops/toolchain/plugins.ts";
import { ensureTools } from "../../ops/toolchain/toolchain.ts";
import { pinned, type ToolName } from "../../ops/toolchain/tools.ts";
import { buildImages } from "./images/images.ts";
import { removeLeftovers } from "./leftovers.ts";
import { clusterFolder, type Paths, pathsIn } from "./paths.ts";
import { installPrerequisites, NAMESPACES } from "./prerequisites.ts";
import type { Prepared } from "./setup.ts";

const TOOLS = [
  "pulumi",
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kubelet",
  "kube-proxy",
  "coredns",
  "traefik",
  "traefik-crds",
  "externaldns-crds",
] as const satisfies ToolName[];
/** An owner of the lock that has not updated it for this long has ended; in milliseconds. */
const STALE_LOCK = 15_000;

const progress = createProgress();
process.exitCode = await main(process.argv.slice(2));

/** @param args passed on to vitest, e.g. `-t NAME` */
async function main(args: readonly string[]): Promise<number> {
  const obstacle = installPrerequisites((line) => progress.note(line));
  if (obstacle !== undefined) {
    progress.note(`test:cluster is skipped: ${obstacle}`);
    return 0;
  }
  const paths = pathsIn(clusterFolder());
  mkdirSync(paths.folder, { recursive: true, mode: 0o711 });
  const release = await lock(paths.folder, { stale: STALE_LOCK, retries: { retries: 5, minTimeout: 5000 } }).catch(
    (error: unknown) => {
      throw new Error(`another test:cluster runs on ${paths.folder}; wait for it, or set GATEHOUSE_DATA`, {
        cause: error,
      });
    },
  );
  try {
    await progress.step("Removing what an interrupted run left", () => removeLeftovers(paths), "1 s");
    await prepare(paths);
    const code = await runTests(paths, args);
    await progress.step("Removing the node's files", () => removeLeftovers(paths), "2 s");
    return code;
  } finally {
    await release();
  }
}

async function prepare(paths: Paths): Promise<void> {
  const tools = await ensureTools(TOOLS, progress);
  const settings = parseStack(
    readStackFile(path.join(import.meta.dirname, "Pulumi.cluster.yaml"), "cluster"),
    {},
    {
      secretsRequired: false,
    },
  );
  const versions = {
    authentik: settings.identityProvider.version,
    postgrest: settings.dataApi?.version ?? "",
    traefik: pinned("traefik").version,
    coredns: pinned("coredns").version,
  };
  const authentik = findAuthentik(process.env);
  progress.note(describeAuthentik(authentik));
  await progress.step("Images", () => buildImages(paths.images, { ...tools, authentik, versions }), "5 s");
  const found = await findPlugins(tools.pulumi, process.env, progress);
  // The real one downloads authentik's Terraform provider when it runs, and the namespace has no network.
  const plugins = found.map((one) =>
    one.name === "terraform-provider" ? ({ ...one, kind: "emulator" } as const) : one,
  );
  const folders = plugins.flatMap(({ kind, path: file }) => (kind === "real" && file ? path.dirname(file) : []));
  const prepared: Prepared = { tools, versions, path: [writeLaunchers(paths.folder, plugins), ...folders] };
  writeFileSync(paths.programs, JSON.stringify(prepared));
}

/** @returns vitest's exit code */
async function runTests(paths: Paths, args: readonly string[]): Promise<number> {
  rmSync(paths.logs, { recursive: true, force: true });
  const vitest = path.join(packageFolder(), "node_modules", "vitest", "vitest.mjs");
  const config = path.join(import.meta.dirname, "vitest.config.ts");
  const child = spawn(
    "setpriv",
    ["--pdeathsig", "KILL", "unshare", ...NAMESPACES, process.execPath, vitest, "run", "--config", config, ...args],
    { cwd: packageFolder(), stdio: "inherit", env: { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin:/sbin` } },
  );
  const stop = (): void => void (child.exitCode === null && child.pid && killFirst(child.pid));
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.once(signal, stop);
  // A killed npm passes nothing on: its end shows in another parent of this process.
  const parent = process.ppid;
  const watch = setInterval(() => process.ppid !== parent && stop(), 500);
  const [code] = (await once(child, "exit")) as [number | null];
  clearInterval(watch);
  return code ?? 1;
}

/** Kills the first process of the namespace, the child of `unshare`, which then waits for all others in it. */
function killFirst(unshare: number): void {
  const children = readFileSync(`/proc/${unshare}/task/${unshare}/children`, "utf8").trim();
  process.kill(children === "" ? unshare : Number(children), "SIGKILL");
}
