import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { describe, expect, it, onTestFinished, vi } from "vitest";

import type { Cluster } from "../../plugins/kubernetes/cluster.ts";
import { accessOf } from "../../plugins/kubernetes/kubeconfig.ts";
import { handedOver, isFresh } from "../../plugins/kubernetes/managers.ts";
import { untilGone, untilReady } from "../../plugins/kubernetes/readiness.ts";
import type { Values } from "../../plugins/protocol/plugin.ts";

const NEVER = new AbortController().signal;

describe("waiting", () => {
  const cluster = (lives: readonly (Values | undefined)[], pods: readonly Values[] = []): Cluster => {
    let call = 0;
    const answers = {
      read: () => Promise.resolve(lives[Math.min(call++, lives.length - 1)]),
      podsOf: () => Promise.resolve(pods),
    };
    return answers as unknown as Cluster;
  };
  const deployment = (available: number): Values => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "shop", generation: 2, uid: "1" },
    spec: { replicas: 1, selector: { matchLabels: { app: "web" } } },
    status: { observedGeneration: 2, replicas: 1, updatedReplicas: 1, availableReplicas: available },
  });

  it("ends when the Deployment is ready", async () => {
    const live = await untilReady(cluster([deployment(1)]), deployment(0), Date.now() + 5000, NEVER);
    expect(live).toEqual(deployment(1));
  });

  it("ignores a status of the previous generation", async () => {
    const stale = { ...deployment(1), metadata: { ...(deployment(1).metadata as Values), generation: 3 } };
    await expect(untilReady(cluster([stale]), stale, 0, NEVER)).rejects.toThrow(
      "of 1 replicas 1 are updated, 1 available, 1 in total",
    );
  });

  it("reports at the deadline why the containers do not run", async () => {
    const waiting = { reason: "ImagePullBackOff", message: "no such image" };
    const pods = [
      { metadata: { name: "web-1" }, status: { containerStatuses: [{ name: "main", state: { waiting } }] } },
    ];
    await expect(untilReady(cluster([], pods), deployment(0), 0, NEVER)).rejects.toMatchObject({
      reasons: [
        "of 1 replicas 1 are updated, 0 available, 1 in total",
        'container "main": ImagePullBackOff: no such image',
      ],
    });
  });

  it("fails at once for a failed Job", async () => {
    const conditions = [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded", message: "over" }];
    const job = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "x" }, status: { conditions } };
    const waited = untilReady(cluster([job]), job, Date.now() + 60_000, NEVER);
    await expect(waited).rejects.toThrow("[BackoffLimitExceeded] over");
  });

  it("waits for a Deployment that exceeded its progress deadline, as the plugin does", async () => {
    const message = 'ReplicaSet "web-1" has timed out progressing.';
    const conditions = [{ type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded", message }];
    const late = { ...deployment(0), status: { ...(deployment(0).status as Values), conditions } };
    const reason = `[ProgressDeadlineExceeded] ${message}; of 1 replicas 1 are updated, 0 available, 1 in total`;

    const live = await untilReady(cluster([late, deployment(1)]), late, Date.now() + 60_000, NEVER);
    await expect(untilReady(cluster([late]), late, 0, NEVER)).rejects.toThrow(reason);

    expect(live).toEqual(deployment(1));
  });

  it("ends when the object is deleted or replaced", async () => {
    const other = { ...deployment(1), metadata: { name: "web", uid: "2" } };
    await untilGone(cluster([undefined]), deployment(1), 0, NEVER);
    await untilGone(cluster([other]), deployment(1), 0, NEVER);
    const finalized = { ...deployment(1), metadata: { uid: "1", finalizers: ["example.org/keep"] } };
    await expect(untilGone(cluster([finalized]), deployment(1), 0, NEVER)).rejects.toThrow(
      'it is still being deleted; finalizers: ["example.org/keep"]',
    );
  });
});

describe("the kubeconfig", () => {
  const text = JSON.stringify({
    clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:6443/", "certificate-authority-data": "YXV0aA==" } }],
    users: [{ name: "u", user: { token: "t0ken" } }],
    contexts: [
      { name: "dev", context: { cluster: "c", user: "u" } },
      { name: "no-token", context: { cluster: "c", user: "n" } },
    ],
    "current-context": "dev",
  });

  it("has the address of the cluster", () => {
    expect(accessOf({ kubeconfig: text })).toEqual({
      server: "https://127.0.0.1:6443",
      token: "t0ken",
      tls: { ca: Buffer.from("auth"), rejectUnauthorized: true },
    });
  });

  it("is found in the files of KUBECONFIG if the program names none, as kubectl finds it", () => {
    const folder = mkdtempSync(join(tmpdir(), "gatehouse-kubeconfig-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const files = ["missing", "first", "second"].map((name) => join(folder, name));
    writeFileSync(join(folder, "first"), JSON.stringify({ contexts: [] }));
    writeFileSync(join(folder, "second"), text);
    vi.stubEnv("KUBECONFIG", files.join(delimiter));
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(accessOf({ kubeconfig: "" }).token).toBe("t0ken");
    expect(() => accessOf({ kubeconfig: files.join(delimiter) })).toThrow(
      "configured Kubernetes cluster is unreachable: failed to parse kubeconfig data",
    );
  });

  it.each([
    ["prod", 'the kubeconfig has no context "prod", only: dev, no-token; set kubernetes:context'],
    ["no-token", 'the user of context "no-token" has no token. Install the real plugin.'],
  ])("is refused with the context %s", (context, reason) => {
    expect(() => accessOf({ kubeconfig: text, context })).toThrow(
      `configured Kubernetes cluster is unreachable: ${reason}`,
    );
  });
});

describe("the manager of a field", () => {
  const entry = (manager: string, operation: string, fields: Values, more: Values = {}): Values => ({
    manager,
    operation,
    fieldsV1: fields,
    ...more,
  });
  const live = (...managedFields: Values[]): Values => ({ metadata: { managedFields } });

  it("is the next updater, for fields of the creator and of kubectl", () => {
    const other = entry("other", "Update", { "f:z": {} });
    const status = entry("kubectl", "Update", { "f:status": {} }, { subresource: "status" });
    const handed = handedOver(
      live(
        entry("pulumi-kubernetes", "Update", { "f:data": { "f:a": {} } }),
        entry("kubectl-edit", "Update", { "f:data": { "f:b": {} } }),
        entry("me", "Apply", { "f:data": { "f:c": {} } }),
        other,
        status,
      ),
      "me",
    );
    expect(handed).toEqual([other, status, entry("me", "Apply", { "f:data": { "f:a": {}, "f:b": {}, "f:c": {} } })]);
    expect(handedOver(live(other, status), "me")).toBe(undefined);
  });

  it("is the creator until the first update", () => {
    expect(isFresh(live(entry("pulumi-kubernetes", "Update", {})))).toBe(true);
    expect(isFresh(live(entry("pulumi-kubernetes-1234", "Apply", {})))).toBe(false);
  });
});
