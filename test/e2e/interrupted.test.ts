/**
 * Deployments that are interrupted at random points, by kill and by loss of what they talk to: the next run ends where an uninterrupted
 * one ends, and no protected host is open in between. Each run of the tests takes other points: one for each program, with FULL=1 ten.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { applyYaml } from "../../local/platform/api.ts";
import { type Config, deployEcho, type OwnPlatform, type OwnStack, service, startOwnPlatform } from "./ownPlatform.ts";
import { FULL } from "../helpers/full.ts";
import { processes, signal } from "./programs.ts";
import { liveObjects, stateOf } from "./snapshot.ts";
import { watchHosts } from "./watch.ts";

/** Give it to see the same points again. */
const SEED = Number(process.env["INTERRUPTED_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const STACK = "interrupted";
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

/** Who is lost, or killed. */
const EACH = ["deployment", "API server", "Postgres", "identity provider"] as const;
const VICTIMS = FULL ? [...EACH, ...EACH, "deployment" as const, "deployment" as const] : EACH;

interface Ending {
  readonly state: Readonly<Record<string, unknown>>;
  readonly live: Readonly<Record<string, unknown>>;
  /** Steps of the run that led there. */
  readonly steps: number;
}

let own: OwnPlatform;
let stack: OwnStack;
/** By the place of the configuration: what an uninterrupted run ends in. */
const endings: Ending[] = [];
const configs = (): [Config, Config] => [own.installed(BEFORE), own.installed(AFTER)];

beforeAll(async () => {
  own = await startOwnPlatform();
  await deployEcho(own.platform, "elsewhere");
  stack = await own.open(STACK);
  const [before, after] = configs();
  await deployment(before);
  endings[1] = await endingOf(after);
  endings[0] = await endingOf(before);
});
afterAll(() => own.stop());

describe(`interrupted deployments (INTERRUPTED_SEED=${SEED})`, () => {
  const random = mulberry32(SEED);
  const points = VICTIMS.map((victim, round) => ({
    round,
    victim,
    share: random(),
    delay: Math.floor(random() * 150),
  }));

  test.each(points)(
    "$round: $victim lost $delay ms behind step $share of its run",
    async ({ round, victim, share, delay }) => {
      const turn = (round + 1) % 2;
      const [config, ending] = [configs()[turn], endings[turn]];
      if (!config || !ending) throw new Error("there is no such configuration");
      const stop = watchHosts(own.platform.httpPort, HOSTS);
      const point = 1 + Math.floor(share * ending.steps);
      const interrupted = await deployment(config, {
        ...{ point, delay, lose: losses[victim] },
        checkpoints: round % 3 !== 0,
      });
      expect(interrupted.steps.length).toBeGreaterThanOrEqual(point);
      if (victim === "deployment") expect(interrupted.killedBy).toBe("SIGKILL");
      await vi.waitFor(() => everythingAnswers(), { timeout: 300_000, interval: 200 });
      stack = await own.open(STACK); // as the next run does
      await stack.up(config);
      const { answered, open } = await stop();
      expect(await stateOf(stack)).toEqual(ending.state);
      expect(await liveObjects(own)).toEqual(ending.live);
      const { create, update, replace, delete: removed } = (await stack.stack.preview()).changeSummary;
      expect({ create, update, replace, removed }).toEqual({});
      expect(Object.keys(answered).sort()).toEqual([...HOSTS].sort());
      expect(open).toEqual([]);
    },
  );

  test("control: what is watched for is seen on a host that is open", async () => {
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
    const hosts = ["control.localhost", "board.localhost"];
    const seen = vi.waitFor(
      async () => {
        const stop = watchHosts(own.platform.httpPort, hosts);
        await pause(3_000); // as long as it watches
        expect((await stop()).open.map(({ host }) => host)).toContain("control.localhost");
      },
      { timeout: 240_000, interval: 100 },
    );
    await expect(seen).resolves.toBeUndefined();
  });
});

/** Deploys without an interruption. */
async function endingOf(config: Config): Promise<Ending> {
  const { steps, code } = await deployment(config);
  expect(code).toBe(0);
  return { state: await stateOf(stack), live: await liveObjects(own), steps: steps.length };
}

/** What ends, given the process that deploys. */
const losses: Readonly<Record<(typeof EACH)[number], (deploying: ChildProcess) => void>> = {
  deployment: ({ pid = 0 }) => process.kill(-pid, "SIGKILL"),
  "API server": () => signal(processes(own.platform, /kube-apiserver --/), "SIGKILL"),
  // "Immediate shutdown": it recovers from its log, as after a crash.
  Postgres: () => signal(processes(own.platform, /bin\/postgres /), "SIGQUIT"),
  "identity provider": () => signal(processes(own.platform, /authentik\/main\.ts/), "SIGKILL"),
};

interface Interruption {
  /** Which step it waits for. */
  readonly point: number;
  /** Milliseconds after that. */
  readonly delay: number;
  readonly lose: (deploying: ChildProcess) => void;
  /** Whether the engine writes the state after each step. */
  readonly checkpoints: boolean;
}

interface Deployed {
  readonly steps: readonly string[];
  readonly code: number | null;
  readonly killedBy: NodeJS.Signals | null;
}

/** Deploys in a process that leads a group of its own, which its engine and plugins belong to. */
async function deployment(config: Config, interruption?: Interruption): Promise<Deployed> {
  const args = [own.platform, STACK, config, interruption?.checkpoints ?? false].map((value) => JSON.stringify(value));
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
    interruption.lose(child);
  }
  const [code, killedBy] = await exit;
  return { steps, code, killedBy };
}

/** All that a deployment talks to. */
async function everythingAnswers(): Promise<void> {
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

/** Numbers from 0 to 1 that are the same for the same seed (Tommy Ettinger's mulberry32, public domain). */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
