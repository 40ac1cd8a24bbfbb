/**
 * Deployments that are interrupted at random points, by SIGKILL or by the failure of a server that they need: the next run ends in the state of
 * an uninterrupted one, and no protected host is open in between. Each run of the tests takes new points: one of them, ten with FULL=1.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { applyYaml } from "../../local/platform/api.ts";
import { type Config, deployEcho, type OwnPlatform, type OwnStack, service } from "../helpers/ownPlatform.ts";
import { openShared, SHARED } from "./stack.ts";
import { FULL } from "../helpers/full.ts";
import { IDENTITY_PROVIDER, processes, signal } from "../helpers/programs.ts";
import { liveObjects, stateOf } from "./snapshot.ts";
import { monitorHosts } from "./hostMonitor.ts";

/** Set it to repeat the same points. */
const SEED = Number(process.env["INTERRUPTED_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const PASSWORD = { basic_auth: { username: "ops", password: "${BASIC_PASSWORD}" } };

/** Two lists of services, deployed in turn: each adds, removes, moves and changes the protection of some. */
const BEFORE = [
  service("wiki"),
  service("board", { groups: ["staff"] }),
  service("legacy", { type: "basic", ...PASSWORD }),
  service("moved"),
  service("opened", { public_paths: ["/health"] }),
];
const AFTER = [
  service("wiki", { type: "basic", ...PASSWORD }),
  service("board", { groups: ["admins"] }),
  service("docs"),
  service("moved", {}, "elsewhere"),
  service("opened"),
];
const HOSTS = ["wiki", "board", "legacy", "moved", "opened", "docs"].map((name) => `${name}.localhost`);

/** Program that is killed. */
const EACH = ["deployment", "API server", "Postgres", "identity provider"] as const;
const ALL = [...EACH, ...EACH, "deployment" as const, "deployment" as const];

interface Result {
  readonly state: Readonly<Record<string, unknown>>;
  readonly live: Readonly<Record<string, unknown>>;
  /** Number of steps of the run. */
  readonly steps: number;
}

let own: OwnPlatform;
let stack: OwnStack;
/** Result of an uninterrupted run, by the index of the configuration. */
const results: Result[] = [];
const configs = (): [Config, Config] => [own.installed(BEFORE), own.installed(AFTER)];

beforeAll(async () => {
  ({ own, stack } = await openShared());
  await deployEcho(own.platform, "elsewhere");
  const [before, after] = configs();
  await deployCompletely(before);
  results[1] = await deployCompletely(after);
  results[0] = await deployCompletely(before);
});
afterAll(() => own.stop());

describe(`interrupted deployments (INTERRUPTED_SEED=${SEED})`, () => {
  const random = mulberry32(SEED);
  // The deployment itself, or one of the servers that it needs.
  const one = EACH[Math.floor(random() * EACH.length)] ?? "deployment";
  const points = (FULL ? ALL : [one]).map((victim, round) => ({
    round,
    victim,
    share: random(),
    delay: Math.floor(random() * 150),
  }));

  test.each(points)(
    "$round: deploys the same state after $victim was killed $delay ms after step $share of the run",
    async ({ round, victim, share, delay }) => {
      const turn = (round + 1) % 2;
      const [config, result] = [configs()[turn], results[turn]];
      if (!config || !result) throw new Error(`no configuration at index ${turn}`);
      const stop = monitorHosts(own.platform.httpPort, HOSTS);
      const point = 1 + Math.floor(share * result.steps);
      const interrupted = await deployInProcess(config, {
        point,
        delay,
        kill: KILLS[victim],
        checkpoints: round % 3 !== 0,
      });
      expect(interrupted.steps.length).toBeGreaterThanOrEqual(point);
      if (victim === "deployment") expect(interrupted.killedBy).toBe("SIGKILL");
      await vi.waitFor(() => expectServersUp(), { timeout: 300_000, interval: 200 });
      stack = await own.open(SHARED); // as the next run does
      await stack.up(config);
      const { answered, open } = await stop();
      expect(await stateOf(stack)).toEqual(result.state);
      expect(await liveObjects(own)).toEqual(result.live);
      const { create, update, replace, delete: removed } = (await stack.stack.preview()).changeSummary;
      expect({ create, update, replace, removed }).toEqual({});
      expect(Object.keys(answered).sort()).toEqual([...HOSTS].sort());
      expect(open).toEqual([]);
    },
  );

  test("control: reports a host that is open", async () => {
    const spec = {
      entryPoints: ["web"],
      routes: [
        {
          kind: "Rule",
          match: "Host(`control.localhost`)",
          services: [{ name: "whoami", port: 8080, nativeLB: true }],
        },
      ],
    };
    const metadata = { name: "control", namespace: "default" };
    const route = { apiVersion: "traefik.io/v1alpha1", kind: "IngressRoute", metadata, spec };
    await applyYaml(own.platform.kubeconfig, JSON.stringify(route));
    const location = { group: "traefik.io", version: "v1alpha1", plural: "ingressroutes", ...metadata };
    onTestFinished(async () => void (await own.objects.deleteNamespacedCustomObject(location)));
    const hosts = ["control.localhost", "board.localhost"];
    const reported = vi.waitFor(
      async () => {
        const stop = monitorHosts(own.platform.httpPort, hosts);
        await pause(3_000); // duration of one observation
        expect((await stop()).open.map(({ host }) => host)).toContain("control.localhost");
      },
      { timeout: 240_000, interval: 100 },
    );
    await expect(reported).resolves.toBeUndefined();
  });
});

/** Deploys without an interruption. */
async function deployCompletely(config: Config): Promise<Result> {
  const { steps, code } = await deployInProcess(config);
  expect(code).toBe(0);
  return { state: await stateOf(stack), live: await liveObjects(own), steps: steps.length };
}

/** Kills a program, given the process that deploys. */
const KILLS: Readonly<Record<(typeof EACH)[number], (deploying: ChildProcess) => void>> = {
  deployment: ({ pid = 0 }) => process.kill(-pid, "SIGKILL"),
  "API server": () => signal(processes(own.platform, /kube-apiserver --/), "SIGKILL"),
  // "Immediate shutdown": it recovers from its log, as after a crash.
  Postgres: () => signal(processes(own.platform, /bin\/postgres /), "SIGQUIT"),
  "identity provider": () => signal(processes(own.platform, IDENTITY_PROVIDER.everyRole), "SIGKILL"),
};

interface Interruption {
  /** Number of steps before the interruption. */
  readonly point: number;
  /** Milliseconds after that step. */
  readonly delay: number;
  readonly kill: (deploying: ChildProcess) => void;
  /** Whether the engine writes the state after each step. */
  readonly checkpoints: boolean;
}

interface Deployed {
  readonly steps: readonly string[];
  readonly code: number | null;
  readonly killedBy: NodeJS.Signals | null;
}

/** Deploys in the leader of a new process group, which the engine and its plugins belong to. */
async function deployInProcess(config: Config, interruption?: Interruption): Promise<Deployed> {
  const args = [own.platform, SHARED, config, interruption?.checkpoints ?? false].map((value) => JSON.stringify(value));
  const child = spawn(process.execPath, [join(import.meta.dirname, "../helpers/deployOwn.ts"), ...args], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const exit = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  const steps: string[] = [];
  for await (const step of createInterface(child.stdout)) {
    steps.push(step);
    if (steps.length !== interruption?.point) continue;
    await pause(interruption.delay);
    interruption.kill(child);
  }
  const [code, killedBy] = await exit;
  return { steps, code, killedBy };
}

/** Expects a response of each server that a deployment uses. */
async function expectServersUp(): Promise<void> {
  const { host, port, user, password } = own.platform.postgres;
  const client = new Client({ host, port, user, password, database: "postgres" });
  try {
    await client.connect();
  } finally {
    await client.end();
  }
  await own.core.listNamespace();
  await liveObjects(own);
}

/** Returns a generator of numbers from 0 to 1, deterministic for a seed (Tommy Ettinger's mulberry32, public domain). */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
