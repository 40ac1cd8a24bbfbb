/** The policy pack as the CLI runs it: over the local stack, and over programs that get around the plan. */
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
import { openEngine } from "../../ops/engine/open.ts";
import { readLocalContext } from "../../ops/context/local.ts";
import { deployContext } from "../../ops/engine/deployment/deployment.ts";
import type { Outcome } from "../../ops/engine/deployment/outcome.ts";
import { projectFolder } from "../../ops/toolchain/paths.ts";
import { NO_POLICY, runPolicy } from "../../ops/engine/policyPack.ts";
import { main as preview } from "../../ops/commands/preview.ts";
import { quiet } from "../helpers/quiet.ts";
import { SHELL } from "../helpers/shell.ts";

const CONTEXT = "gatehouse-local";
/** What the engine prints when the pack has no finding. */
const PASSED = "✅ gatehouse@v1.0.0";

let place: ShellEnvironment;
let target: StackContext;
beforeAll(() => {
  place = { project: projectFolder(), data: inject("platform").data, environment: process.env };
  target = openContext(CONTEXT, place);
  // The program runs in this process and looks its variables up where a deploying shell has them.
  Object.assign(process.env, target.environment);
});

let deployments = 0;

/** The stack, and when `isThere` a route to whoami without its authentication; a ConfigMap differs in each deployment, so that there is a change. */
function around(isThere: () => boolean): PulumiFn {
  return async () => {
    const outputs = await program();
    const provider = new k8s.Provider("around", { context: CONTEXT });
    const data = { deployment: String(deployments) };
    new k8s.core.v1.ConfigMap("around", { metadata: { name: "around", namespace: "default" }, data }, { provider });
    if (!isThere()) return outputs;
    const services = [{ name: "whoami", port: 8080 }];
    new k8s.apiextensions.CustomResource(
      "around",
      {
        apiVersion: "traefik.io/v1alpha1",
        kind: "IngressRoute",
        metadata: { name: "around", namespace: "default" },
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

/** Whether the route of {@link around} is in the cluster. */
async function isDeployed(): Promise<boolean> {
  const config = new RetryingKubeConfig();
  config.loadFromFile(join(place.data, "kubeconfig"));
  const routes = { group: "traefik.io", version: "v1alpha1", namespace: "default", plural: "ingressroutes" };
  const list = (await config.makeApiClient(CustomObjectsApi).listNamespacedCustomObject(routes)) as {
    items: { metadata: { name: string } }[];
  };
  return list.items.some(({ metadata }) => metadata.name === "around");
}

interface Deployed {
  readonly outcome: Outcome;
  /** What a user reads. */
  readonly text: string;
}

/** `./deploy gatehouse-local --yes` with another program. */
async function deploy(run: PulumiFn, skipPolicy = false, context = target): Promise<Deployed> {
  deployments += 1;
  let text = "";
  const print = (line: string): true => {
    text += `${line}\n`;
    return true;
  };
  const outcome = await deployContext(context, place, {
    ...{ refresh: false, skipPolicy, program: run, progress: quiet },
    confirm: (question) => Promise.resolve(print(question)),
    print,
    paint: (_, line) => line,
    interrupted: new AbortController().signal,
    verify: () => Promise.resolve([]),
  });
  return { outcome, text };
}

describe("in a preview", () => {
  test("the pack runs, and passes the local stack", async () => {
    const stack = await openEngine(target, place, program, quiet);
    const { stdout, changeSummary } = await stack.preview(runPolicy());
    expect(stdout).toContain(PASSED);
    expect(changeSummary.same).toBeGreaterThan(50);
    expect((await stack.preview(NO_POLICY)).stdout).not.toContain(PASSED);
  });

  test("a route around the plan stops the deployment before anything changes, with the rules that it violates", async () => {
    const { outcome, text } = await deploy(around(() => true));
    expect([outcome.outcome, outcome.policySkipped]).toEqual(["failed", false]);
    const problems = outcome.problems.join("\n");
    expect(problems).toContain("(policy routes-are-protected)");
    expect(problems).toContain("IngressRoute default/around: Host(`whoami.localhost`): lets everybody in");
    expect(problems).toContain("drops no forged identity headers");
    expect(text).toContain("Nothing was changed.");
    expect(outcome.steps.map(({ name }) => name)).not.toContain("Deploying");
  });

  test("a pack that cannot run stops the deployment before the preview, with the reason and the fix", async () => {
    const environment = { ...target.environment, PATH: "/nowhere" };
    const { outcome } = await deploy(program, false, { ...target, environment });
    expect([outcome.outcome, outcome.steps.map(({ name }) => name)]).toEqual([
      "refused",
      ["Checking configuration, tools and access"],
    ]);
    expect(outcome.problems).toEqual([
      expect.stringMatching(/^the policy pack does not start: .*: node: not found\. Restore policy\/, put Node\.js/),
    ]);
  });
});

describe("in the up", () => {
  afterAll(async () => {
    expect((await deploy(program)).outcome.outcome).toBe("deployed");
    expect(await isDeployed()).toBe(false);
  });
  /** A program that hides the route from the preview. */
  const hiding = around(() => !runtime.isDryRun());

  test("the pack stops a route that the preview did not contain", async () => {
    const { outcome, text } = await deploy(hiding);
    expect(outcome.steps.filter(({ name }) => name === "Deploying")).toEqual([
      expect.objectContaining({ ok: false }) as unknown,
    ]);
    expect(outcome.outcome).toBe("failed");
    expect(outcome.problems.join("\n")).toContain("(policy routes-are-protected)");
    expect(text).toContain("Errors");
    expect(await isDeployed()).toBe(false);
  });

  test("without the pack the same program deploys the route, and the report says that the pack was skipped", async () => {
    const { outcome, text } = await deploy(hiding, true);
    expect([outcome.outcome, outcome.policySkipped]).toEqual(["deployed", true]);
    expect(text).toMatch(
      /^Policy pack: skipped \(--skip-policy\)\. No rule of docs\/policy\.md is checked in this deployment\.\n/,
    );
    expect(text).toContain(`\nApply these changes to ${CONTEXT} without the policy pack?\n`);
    expect(text).toContain(`Deployed without the policy pack: stack local on ${CONTEXT}, `);
    expect(await isDeployed()).toBe(true);
  });
});

/** A context that is not the local platform's: the stack file, the shell's environment, and the project file with a relative analyzer. */
describe("npm run preview on another context", () => {
  const project = mkdtempSync(join(tmpdir(), "gatehouse-real-"));
  afterAll(() => rmSync(project, { recursive: true }));

  async function run(images: object): Promise<{ code: number; out: string }> {
    const local = readFileSync(join(projectFolder(), "Pulumi.local.yaml"), "utf8");
    const section = `\n  gatehouse:images: ${JSON.stringify(images)}\n`;
    writeFileSync(join(project, "Pulumi.local.yaml"), local.replace(/\n(?= {2}gatehouse:gateway)/, section));
    writeFileSync(join(project, "Pulumi.yaml"), readFileSync(join(projectFolder(), "Pulumi.yaml")));
    const variables = Object.entries(readLocalContext(place.data)?.config ?? {});
    const given = Object.fromEntries(variables.map(([key, value]) => [key.replace("variables:", ""), String(value)]));
    let out = "";
    const write = (text: string): void => void (out += text);
    const environment = { ...process.env, ...given, PULUMI_BACKEND_URL: `file://${project}` };
    const shell = { ...SHELL, project, data: join(project, "data"), environment, out: write, error: write };
    return { code: await preview([CONTEXT], shell), out };
  }

  beforeAll(() => symlinkSync(join(projectFolder(), "policy"), join(project, "policy")));

  test("runs the pack, without the language host of the official CLI", async () => {
    const { code, out } = await run({});
    expect(out).toContain(PASSED);
    expect(code).toBe(0);
  });

  test("ends with 1 when the configuration violates a policy", async () => {
    const { code, out } = await run({ required: true });
    expect(out).toContain("[mandatory]  images-state-digests");
    expect(code).toBe(1);
  });
});
