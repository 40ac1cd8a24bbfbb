import {
  CustomObjectsApi,
  NetworkingV1Api,
  PatchStrategy,
  PolicyV1Api,
  setHeaderOptions,
  type V1Container,
  type V1Pod,
} from "@kubernetes/client-node";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { containerDefaults, restrictedPod } from "../../infra/pods.ts";
import { isReadyPod } from "../../manifests/pod.ts";
import { namespace, PlatformClients, status, until } from "./platformClients.ts";
import { processesOf } from "./processes.ts";

const clients = new PlatformClients();

/** Deploys the echo service and its Service. Returns the address of the Service. */
async function deployEcho(app: string, replicas: number, args: string[] = []): Promise<string> {
  const container: V1Container = {
    ...containerDefaults,
    name: "whoami",
    image: "traefik/whoami:v1.11.0",
    args,
    readinessProbe: { httpGet: { path: "/health", port: 8080 }, periodSeconds: 1 },
  };
  const spec = {
    replicas,
    selector: { matchLabels: { app } },
    strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    template: { metadata: { labels: { app } }, spec: { containers: [container] } },
  };
  await clients.apps.createNamespacedDeployment({ namespace, body: { metadata: { name: app }, spec } });
  const service = { metadata: { name: app }, spec: { selector: { app }, ports: [{ port: 8080 }] } };
  const { spec: created } = await clients.core.createNamespacedService({ namespace, body: service });
  return `${created?.clusterIP}:8080`;
}

async function patch(app: string, body: object): Promise<void> {
  const options = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
  await clients.apps.patchNamespacedDeployment({ name: app, namespace, body }, options);
}

test("returns each message of a websocket at /echo of the echo service, and accepts no other upgrade", async () => {
  const address = await deployEcho("sockets", 1);
  await until(async () => expect(await status(address)).toBe(200));
  const socket = new WebSocket(`ws://${address}/echo`);
  const received: [string, boolean][] = [];
  await new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.on("open", () => {
      socket.send("blåbær");
      socket.send(Buffer.from([0, 1]));
    });
    socket.on("message", (message: Buffer, binary) => {
      if (received.push([message.toString(), binary]) === 2) resolve(undefined);
    });
  });
  socket.terminate();
  expect(received).toEqual([
    ["blåbær", false],
    ["\0\u0001", true],
  ]);
  const upgrade = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
  expect(await status(address, { ...upgrade, "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" })).toBe(200);
});

test("serves without interruption during a roll-out, a deletion and a scaling", async () => {
  const address = await deployEcho("rolling", 2);
  await until(async () => expect((await clients.podsOf("rolling")).filter(isReadyPod)).toHaveLength(2));
  const answers = new Set<number | string>();
  const done = new AbortController();
  const asking = (async () => {
    while (!done.signal.aborted) answers.add(await status(address).catch((error: Error) => error.message));
  })();

  const before = (await clients.podsOf("rolling")).map(({ metadata }) => metadata?.name);
  await patch("rolling", { spec: { template: { metadata: { annotations: { version: "2" } } } } });
  const pods = await until(async () => {
    const now = await clients.podsOf("rolling");
    expect(now.map(({ metadata }) => metadata?.annotations?.["version"])).toEqual(["2", "2"]);
    return now;
  });
  expect(pods.filter(({ metadata }) => before.includes(metadata?.name))).toEqual([]);

  const [first] = pods;
  await clients.core.deleteNamespacedPod({ name: first?.metadata?.name ?? "", namespace });
  await until(async () => {
    const now = await clients.podsOf("rolling");
    expect(now.filter(isReadyPod)).toHaveLength(2);
    expect(now.map(({ metadata }) => metadata?.uid)).not.toContain(first?.metadata?.uid);
  });
  await patch("rolling", { spec: { replicas: 1 } });
  await until(async () => {
    const [left, ...others] = await clients.podsOf("rolling");
    expect(others).toEqual([]);
    const running = processesOf(clients.data).filter((command) => command.includes(`--host ${left?.status?.podIP}`));
    expect(running).toHaveLength(1);
  });
  done.abort();
  await asking;
  expect([...answers]).toEqual([200]);
});

test("restarts a container that ends, later each time, and reports how it ended", async () => {
  await deployEcho("crashing", 1, ["--nonsense"]);
  await until(async () => {
    const [pod] = await clients.podsOf("crashing");
    const [container] = pod?.status?.containerStatuses ?? [];
    expect(pod?.status?.phase).toBe("Running");
    expect(container?.restartCount).toBeGreaterThanOrEqual(3);
    expect(container?.state?.waiting?.reason).toBe("CrashLoopBackOff");
    expect(container?.state?.waiting?.message).toMatch(/^back-off [1-9]\d*s restarting failed container$/);
    const { exitCode, reason, message } = container?.lastState?.terminated ?? {};
    expect([exitCode, reason, message]).toEqual([1, "Error", expect.stringContaining("ERR_PARSE_ARGS_UNKNOWN_OPTION")]);
  });
});

test.each([
  ["traefik.io", "v1alpha1", "IngressRoute", { routes: [{ kind: "Rule" }] }, "spec.routes[0].match"],
  ["traefik.io", "v1alpha1", "Middleware", { forwardAuth: { address: 1 } }, "spec.forwardAuth.address"],
  ["traefik.io", "v1alpha1", "TLSOption", { minVersion: 1 }, "spec.minVersion"],
  ["traefik.io", "v1alpha1", "TLSStore", { defaultCertificate: {} }, "spec.defaultCertificate.secretName"],
  ["traefik.io", "v1alpha1", "ServersTransport", { insecureSkipVerify: "no" }, "spec.insecureSkipVerify"],
  ["externaldns.k8s.io", "v1alpha1", "DNSEndpoint", { endpoints: [{ targets: "x" }] }, "spec.endpoints[0].targets"],
])("refuses a wrong %s/%s %s", async (group, version, kind, spec, at) => {
  const body = { apiVersion: `${group}/${version}`, kind, metadata: { name: "wrong" }, spec };
  const objects = clients.client(CustomObjectsApi);
  const creation = objects.createNamespacedCustomObject({
    group,
    version,
    namespace,
    plural: `${kind.toLowerCase()}s`,
    body,
  });
  await expect(creation).rejects.toThrow(at);
});

test("keeps a Pod Pending whose requests do not fit, without blocking others", async () => {
  const container = { name: "whoami", image: "traefik/whoami:v1.11.0", resources: { requests: { memory: "1Pi" } } };
  await clients.core.createNamespacedPod({
    namespace,
    body: { metadata: { name: "large" }, spec: { containers: [container] } },
  });
  await until(async () => {
    const { spec, status: observed } = await clients.core.readNamespacedPod({ name: "large", namespace });
    const condition = observed?.conditions?.find(({ type }) => type === "PodScheduled");
    expect([spec?.nodeName, observed?.phase, condition?.reason, condition?.message]).toEqual([
      undefined,
      "Pending",
      "Unschedulable",
      "0/1 nodes are available: 1 Insufficient memory.",
    ]);
  });
  await deployEcho("small", 1);
  await until(async () => expect((await clients.podsOf("small")).map(isReadyPod)).toEqual([true]));
  await clients.core.deleteNamespacedPod({ name: "large", namespace });
  await until(() =>
    expect(clients.core.readNamespacedPod({ name: "large", namespace })).rejects.toMatchObject({ code: 404 }),
  );
});

test("reports a Pod as not ready while its readiness probe fails, as a kubelet does", async () => {
  await deployEcho("unready", 1, ["--port", "8081"]);
  await until(async () => {
    const [pod] = await clients.podsOf("unready");
    const condition = pod?.status?.conditions?.find(({ type }) => type === "Ready");
    expect([pod?.status?.phase, condition?.status, condition?.reason, condition?.message]).toEqual([
      "Running",
      "False",
      "ContainersNotReady",
      "containers with unready status: [whoami]",
    ]);
  });
});

test("refuses a Pod that violates the profile restricted in a namespace that enforces it", async () => {
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  await clients.core.createNamespace({ body: { metadata: { name: "enforced", labels } } });
  const { securityContext } = containerDefaults;
  const pod = (container: V1Container["securityContext"]): V1Pod => ({
    metadata: { name: "restricted" },
    spec: {
      securityContext: restrictedPod.securityContext,
      containers: [{ name: "whoami", image: "traefik/whoami:v1.11.0", securityContext: container }],
    },
  });
  const create = (body: V1Pod) => clients.core.createNamespacedPod({ namespace: "enforced", body });
  await expect(create(pod({ ...securityContext, allowPrivilegeEscalation: true }))).rejects.toThrow(
    /violates PodSecurity [\\"]+restricted:latest[\\"]+: allowPrivilegeEscalation != false/,
  );
  expect((await create(pod(securityContext))).metadata?.name).toBe("restricted");
});

test("accepts network policies and disruption budgets", async () => {
  const metadata = { name: "sockets" };
  const podSelector = { matchLabels: { app: "sockets" } };
  const policy = { metadata, spec: { podSelector, policyTypes: ["Ingress"] } };
  const budget = { metadata, spec: { selector: podSelector, maxUnavailable: 1 } };
  await clients.client(NetworkingV1Api).createNamespacedNetworkPolicy({ namespace, body: policy });
  await clients.client(PolicyV1Api).createNamespacedPodDisruptionBudget({ namespace, body: budget });
  await until(async () => {
    const { status: observed } = await clients
      .client(PolicyV1Api)
      .readNamespacedPodDisruptionBudget({ name: "sockets", namespace });
    expect([observed?.currentHealthy, observed?.disruptionsAllowed]).toEqual([1, 1]);
  });
});
