/** The life of one stack on a real node, in order: each test needs what the one before it left. */
import type { KubernetesObject } from "@kubernetes/client-node";
import { afterEach, describe, expect, inject, test } from "vitest";
import type { Outcome } from "../../ops/deployment/outcome.ts";
import { runCommand } from "./commands.ts";
import { describeCluster } from "./failure.ts";
import { apps, batch, core, restart, restartedPods, runJob, untilAllReady } from "./kubernetes.ts";
import { underLoad } from "./load.ts";

const { context } = inject("cluster");
const DATA = "gatehouse-data";
const VERIFICATION = "gatehouse-verification";

/** Those of the cluster itself, and that of Prometheus. */
const NAMESPACES = ["default", "kube-node-lease", "kube-public", "kube-system", "monitoring"];
/** A rollout takes seconds, and each second has 40 requests. */
const MIN_REQUESTS = 80;
const ROLLOUTS = [
  {
    workload: "authentik-server",
    pattern: /^authentik-server$/,
    target: { url: "http://authentik.localhost/if/admin/", status: 200 },
  },
  {
    workload: "an outpost",
    pattern: /^gatehouse-outpost-(?!.*admins)/,
    target: { url: "http://whoami.localhost/", status: 302 },
  },
  {
    workload: "PostgREST",
    pattern: /^postgrest$/,
    target: { url: "http://data.localhost/meta_endpoints?limit=1", status: 200 },
  },
  { workload: "the catalog", pattern: /^catalog$/, target: { url: "http://catalog.localhost/data", status: 200 } },
];

afterEach(async ({ task }) => {
  if (task.result?.state === "fail") console.error(await describeCluster());
});

async function findDeployment(pattern: RegExp): Promise<{ namespace: string; name: string }> {
  const { items } = await apps().listDeploymentForAllNamespaces();
  const { namespace, name } = items.map(({ metadata }) => metadata).find((one) => pattern.test(one?.name ?? "")) ?? {};
  if (!namespace || !name) throw new Error(`no Deployment matches ${pattern.source}`);
  return { namespace, name };
}

async function deploy(): Promise<Pick<Outcome, "outcome" | "problems" | "changes"> & { failed: unknown[] }> {
  const { stdout, output } = await runCommand("./deploy", context, "--yes", "--json");
  if (!stdout.trimStart().startsWith("{")) throw new Error(output);
  const { outcome, problems, changes, checks } = JSON.parse(stdout) as Outcome;
  return { outcome, problems, changes, failed: checks.filter(({ ok }) => !ok) };
}

describe("a stack on a real node", () => {
  test("deploys at the first attempt, with every check passed and no container restarted", async () => {
    const { outcome, problems, failed } = await deploy();
    expect({ outcome, problems, failed }).toEqual({ outcome: "deployed", problems: [], failed: [] });
    expect(await restartedPods()).toEqual([]);
  });

  test("changes nothing in a second deployment", async () => {
    const { outcome, problems, failed, changes } = await deploy();
    expect({ outcome, problems, failed, changes }).toEqual({
      outcome: "unchanged",
      problems: [],
      failed: [],
      changes: [],
    });
  });

  test("refuses the migrations of a pod that does not wait for the network policy", async () => {
    const { items } = await batch().listNamespacedJob({ namespace: DATA });
    const template = items.find(({ metadata }) => metadata?.name?.startsWith("data-migrations-job-"))?.spec?.template;
    const [container] = template?.spec?.containers ?? [];
    if (!template?.spec || !container) throw new Error("the migrations job is missing");
    const labels = { "app.kubernetes.io/name": "migrations" };
    const impatient = { ...template.spec, containers: [{ ...container, command: ["psql"] }] };
    const refused = await runJob(DATA, "without-wait", impatient, labels);
    expect(refused.succeeded).toBe(false);
    expect(refused.message).toContain("Connection refused");
    expect(await runJob(DATA, "with-wait", template.spec, labels)).toMatchObject({ succeeded: true });
  });

  test("passes verify and audit", async () => {
    const verified = await runCommand("npm", "run", "--silent", "verify", "--", context);
    expect(verified.code, verified.output).toBe(0);
    const audited = await runCommand("npm", "run", "--silent", "audit", "--", context);
    expect(audited.code, audited.output).toBe(0);
  });

  test("passes the verification job in the cluster", async () => {
    const job = await batch().readNamespacedCronJob({ namespace: VERIFICATION, name: "gatehouse-verify" });
    const { spec, metadata } = job.spec?.jobTemplate.spec?.template ?? {};
    if (!spec) throw new Error("the CronJob has no pod");
    const result = await runJob(VERIFICATION, "verify-now", spec, metadata?.labels ?? {});
    expect(result).toMatchObject({ succeeded: true });
  });

  test("serves every host again after the deletion of all pods", async () => {
    const { items } = await core().listPodForAllNamespaces();
    await Promise.all(
      items.map(({ metadata: { name = "", namespace = "" } = {} }) => core().deleteNamespacedPod({ name, namespace })),
    );
    await untilAllReady();
    const verified = await runCommand("npm", "run", "--silent", "verify", "--", context);
    expect(verified.code, verified.output).toBe(0);
  });

  test.for(ROLLOUTS)("loses no request while $workload is restarted", async ({ pattern, target }, { annotate }) => {
    const { namespace, name } = await findDeployment(pattern);
    const { requests, errors } = await underLoad(target, () => restart(namespace, name));
    await annotate(`${name}: ${requests} requests, errors: ${JSON.stringify(errors)}`);
    expect(requests).toBeGreaterThan(MIN_REQUESTS);
    expect(errors).toEqual({});
  });

  test("removes everything that it deployed", async () => {
    const destroyed = await runCommand("pulumi", "destroy", "--stack", "cluster", "--yes", "--skip-preview");
    expect(destroyed.code, destroyed.output).toBe(0);
    const [deployments, namespaces] = await Promise.all([
      apps().listDeploymentForAllNamespaces(),
      core().listNamespace(),
    ]);
    const names = (list: { items: KubernetesObject[] }): unknown[] => list.items.map(({ metadata }) => metadata?.name);
    expect(names(deployments).sort()).toEqual(["coredns", "notes", "traefik"]);
    expect(names(namespaces).sort()).toEqual(NAMESPACES);
  });
});
