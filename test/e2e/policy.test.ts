/** The policy pack as the CLI runs it: with the local stack, and with programs whose routes bypass the plan. */
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CustomObjectsApi } from "@kubernetes/client-node";
import * as k8s from "@pulumi/kubernetes";
import { runtime } from "@pulumi/pulumi";
import type { PulumiFn } from "@pulumi/pulumi/automation/index.js";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import program from "../../infra/index.ts";
import { RetryingKubeConfig } from "../../infra/kubeConfig.ts";
import { openContext, type ShellEnvironment, type StackContext } from "../../ops/context/context.ts";
import { openEngine, pulumiOf } from "../../ops/engine/open.ts";
import { runPulumi } from "../../ops/engine/runPulumi.ts";
import { readLocalContext } from "../../ops/context/local.ts";
import { packageFolder } from "../../config/files/folders.ts";
import { runPolicy } from "../../ops/engine/policyPack.ts";
import { main as preview } from "../../ops/commands/preview.ts";
import { putPulumiOnPath } from "../helpers/clusterPulumi.ts";
import { type Deployed, deployProgram } from "../helpers/deployProgram.ts";
import { FULL } from "../helpers/full.ts";
import { fullTest } from "../helpers/fullTest.ts";
import { SILENT } from "../../ops/terminal/progress.ts";
import { SHELL } from "../helpers/shell.ts";

const CONTEXT = "gatehouse-local";
/** What the engine prints when the pack has no finding. */
const PASSED = "✅ gatehouse@v1.0.0";

let shell: ShellEnvironment;
let target: StackContext;
beforeAll(() => {
  shell = { project: packageFolder(), data: inject("platform").data, environment: process.env };
  target = openContext(CONTEXT, shell);
  // The program runs in this process and reads its variables from the environment.
  Object.assign(process.env, target.environment);
});

let deploymentCount = 0;

/** Returns a program of the stack and, if `hasRoute` returns true, a route to whoami without authentication. Its ConfigMap differs in each deployment, so there is always a change. */
function withBypassRoute(hasRoute: () => boolean): PulumiFn {
  return async () => {
    const outputs = await program();
    const provider = new k8s.Provider("bypass", { context: CONTEXT });
    const data = { deployment: String(deploymentCount) };
    new k8s.core.v1.ConfigMap("bypass", { metadata: { name: "bypass", namespace: "default" }, data }, { provider });
    if (!hasRoute()) return outputs;
    const services = [{ name: "whoami", port: 8080 }];
    new k8s.apiextensions.CustomResource(
      "bypass",
      {
        apiVersion: "traefik.io/v1alpha1",
        kind: "IngressRoute",
        metadata: { name: "bypass", namespace: "default" },
        spec: {
          entryPoints: ["web"],
          routes: [{ kind: "Rule", match: "Host(`whoami.localhost`)", priority: 999, services }],
        },
      },
      { provider },
    );
    return outputs;
  };
}

/** Returns whether the route of {@link withBypassRoute} is in the cluster. */
async function isDeployed(): Promise<boolean> {
  const config = RetryingKubeConfig.fromFile(join(shell.data, "kubeconfig"));
  const routes = { group: "traefik.io", version: "v1alpha1", namespace: "default", plural: "ingressroutes" };
  const list = (await config.makeApiClient(CustomObjectsApi).listNamespacedCustomObject(routes)) as {
    items: { metadata: { name: string } }[];
  };
  return list.items.some(({ metadata }) => metadata.name === "bypass");
}

/** Runs `npx gatehouse deploy gatehouse-local --yes` with another program. */
function deploy(run: PulumiFn, skipPolicy = false, context = target): Promise<Deployed> {
  deploymentCount += 1;
  return deployProgram(context, shell, run, { skipPolicy });
}

describe("a preview", () => {
  fullTest("runs the policy pack, which the local stack passes", async () => {
    const stack = await openEngine(target, shell, program, SILENT);
    const { stdout, changeSummary } = await stack.preview(runPolicy());
    expect(stdout).toContain(PASSED);
    expect(changeSummary.same).toBeGreaterThan(50);
  });

  test("stops the deployment before any change if a route bypasses the plan, and reports the violated rules", async () => {
    const { outcome, text } = await deploy(withBypassRoute(() => true));
    expect([outcome.outcome, outcome.policySkipped]).toEqual(["failed", false]);
    const problems = outcome.problems.join("\n");
    expect(problems).toContain("(policy routes-are-protected)");
    expect(problems).toContain("IngressRoute default/bypass: Host(`whoami.localhost`): is open to everyone");
    expect(problems).toContain("does not remove forged identity headers");
    expect(text).toContain("Nothing was deployed.");
    expect(outcome.steps.map(({ name }) => name)).not.toContain("Deploying");
  });

  test("does not start if the policy pack cannot run, and the problem contains the cause and a hint", async () => {
    const environment = { ...target.environment, PATH: "/nowhere" };
    const { outcome } = await deploy(program, false, { ...target, environment });
    expect([outcome.outcome, outcome.steps.map(({ name }) => name)]).toEqual([
      "refused",
      ["Checking configuration, tools and access"],
    ]);
    expect(outcome.problems).toEqual([
      expect.stringMatching(
        /^the policy pack does not start: .*: node: not found\. Restore policy\/, put a supported Node\.js/,
      ),
    ]);
  });
});

describe.runIf(FULL)("an update", () => {
  afterAll(async () => {
    expect((await deploy(program, true)).outcome.outcome).toBe("deployed");
    expect(await isDeployed()).toBe(false);
  });
  /** Creates the route in the update only. */
  const hiddenRoute = withBypassRoute(() => !runtime.isDryRun());

  test("rejects a route that the preview did not contain", async () => {
    const { outcome, text } = await deploy(hiddenRoute);
    expect(outcome.steps.filter(({ name }) => name === "Deploying")).toEqual([
      expect.objectContaining({ ok: false }) as unknown,
    ]);
    expect(outcome.outcome).toBe("failed");
    expect(outcome.problems.join("\n")).toContain("(policy routes-are-protected)");
    expect(text).toContain("Errors");
    expect(await isDeployed()).toBe(false);
  });

  test("deploys the route with --skip-policy, and reports that the policy pack was skipped", async () => {
    const { outcome, text } = await deploy(hiddenRoute, true);
    expect([outcome.outcome, outcome.policySkipped]).toEqual(["deployed", true]);
    expect(text).toMatch(
      /^Policy pack: skipped \(--skip-policy\)\. No rule of docs\/policy\.md is checked in this deployment\.\n/,
    );
    expect(text).toContain(`\nApply these changes to ${CONTEXT} without the policy pack?\n`);
    expect(text).toContain(`Deployed without the policy pack: stack local on ${CONTEXT}, `);
    expect(await isDeployed()).toBe(true);
  });
});

/** Another context than that of the local platform: uses the stack file, the environment, and the project file with a relative analyzer path. */
describe("npx gatehouse preview on another context", () => {
  const project = mkdtempSync(join(tmpdir(), "gatehouse-real-"));
  afterAll(() => rmSync(project, { recursive: true }));

  async function run(images: object): Promise<{ code: number; out: string }> {
    const local = readFileSync(join(packageFolder(), "Pulumi.local.yaml"), "utf8");
    const section = `\n  gatehouse:images: ${JSON.stringify(images)}\n`;
    writeFileSync(join(project, "Pulumi.local.yaml"), local.replace(/\n(?= {2}gatehouse:gateway)/, section));
    writeFileSync(join(project, "Pulumi.yaml"), readFileSync(join(packageFolder(), "Pulumi.yaml")));
    const variables = Object.entries(readLocalContext(shell.data)?.config ?? {});
    const given = Object.fromEntries(variables.map(([key, value]) => [key.replace("variables:", ""), String(value)]));
    let out = "";
    const write = (text: string): void => void (out += text);
    const environment = { ...process.env, ...given, PULUMI_BACKEND_URL: `file://${project}` };
    const testShell = { ...SHELL, project, data: join(project, "data"), environment, out: write, error: write };
    const cli = await pulumiOf({ local: false }, SILENT);
    await runPulumi(cli, ["stack", "init", "local"], { cwd: project, env: environment });
    return { code: await preview([CONTEXT], testShell), out };
  }

  beforeAll(async () => {
    symlinkSync(join(packageFolder(), "policy"), join(project, "policy"));
    await putPulumiOnPath(project);
  });

  test("runs the policy pack without the language host of the official CLI, and exits with 1 when the configuration violates a policy", async () => {
    const { code, out } = await run({ required: true });
    expect(out).toContain("[mandatory]  images-state-digests");
    expect(code).toBe(1);
  });
});
