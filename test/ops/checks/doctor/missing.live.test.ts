/** The doctor against an empty cluster, and systems that do not answer. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../../../local/platform/ports.ts";
import { failures, fails, passes, Stack } from "./stack.ts";
import { startSystems, type Systems } from "./systems.ts";

const NO_OPERATOR = [
  "postgres.install.operator_namespace: no pod of the operator is ready in namespace cnpg-system",
  "Install CloudNativePG (https://cloudnative-pg.io, Installation), or set the namespace of the operator.",
] as const;
let systems: Systems;
let stack: Stack;
beforeAll(async () => {
  systems = await startSystems();
  stack = new Stack(systems);
});
afterAll(() => systems.stop());

test("reports each prerequisite that an empty cluster lacks, with a hint", async () => {
  const examination = await stack.examine({
    "gatehouse:identity_provider": stack.identityProvider({
      token: "${RESTRICTED}",
      service_accounts: [{ name: "reporter", namespace: "reportng" }],
    }),
  });
  const traefik = "Install Traefik with its custom resource definitions (https://doc.traefik.io, Kubernetes).";
  expect(failures(examination)).toEqual({
    "Cluster: namespaces of services": fails(
      'namespace "reportng" does not exist, and the stack file names it',
      "Correct the stack file, or run: kubectl create namespace reportng",
    ),
    "Traefik: pods of Traefik": fails(
      "gateway.pod_labels: no pod in namespace kube-system has the labels app.kubernetes.io/name=traefik",
      "Install Traefik 3.7.13 with its Helm chart (https://doc.traefik.io), or use k3s, which includes it.",
    ),
    "Traefik: Service of Traefik": fails(
      'gateway.service: namespace kube-system has no Service "traefik"',
      "Set gateway.namespace and gateway.service to those of Traefik's Service.",
    ),
    "Traefik: kind IngressRoute": fails(
      'gateway: cluster "live" does not serve IngressRoute (traefik.io/v1alpha1)',
      traefik,
    ),
    "Traefik: kind Middleware": fails(
      'gateway: cluster "live" does not serve Middleware (traefik.io/v1alpha1)',
      traefik,
    ),
    "Traefik: kind TraefikService": fails(
      'gateway: cluster "live" does not serve TraefikService (traefik.io/v1alpha1)',
      traefik,
    ),
    "DNS: kind DNSEndpoint": fails(
      'domains.external.targets: cluster "live" does not serve DNSEndpoint (externaldns.k8s.io/v1alpha1)',
      "Install the DNSEndpoint definition of ExternalDNS (its source is crd), or remove targets from each domain.",
    ),
    "DNS: ExternalDNS": fails(
      "no Deployment in the cluster runs ExternalDNS",
      "Install it with --source=crd (https://kubernetes-sigs.github.io/external-dns, CRD source), or remove targets and create the records by hand.",
    ),
    "Identity provider: rights of the token": fails(
      "identity_provider.token: restricted is not a superuser",
      "Create a token of a superuser (Directory > Tokens and App passwords): forward auth needs tokens of other users, which only a superuser can create.",
    ),
  });
  expect(examination.code).toBe(1);
});

test("prints the line to add to the stack file if cluster.uid is missing", async () => {
  const { checks } = await stack.examine();
  expect(checks["Cluster: identity"]).toEqual({
    state: "skipped",
    detail: "cluster.uid is not set, so only deploy recognizes another cluster",
    hint: `Add to Pulumi.first.yaml, below config: gatehouse:cluster: { uid: ${systems.uid} }`,
  });
});

test("refuses another cluster than that of cluster.uid with both UIDs, before any check", async () => {
  const uid = "00000000-0000-4000-8000-000000000000";
  const { code, output: printed } = await stack.examine({ "gatehouse:cluster": { uid } });
  expect([code, printed]).toEqual([
    2,
    `cluster.uid: context "live" is another cluster: its UID is ${systems.uid}, and that of stack "first" is ${uid}. ` +
      "Set KUBECONFIG to the kubeconfig of the stack's cluster, or correct cluster.uid.\n",
  ]);
});

test("reports each unreachable system once", async () => {
  const closed = await freePort();
  const examination = await stack.examine(
    {
      "gatehouse:identity_provider": stack.identityProvider({ url: `http://127.0.0.1:${closed}` }),
      "gatehouse:postgres": stack.postgres({ port: closed }),
    },
    { server: `https://127.0.0.1:${closed}` },
  );
  expect(Object.entries(failures(examination)).map(([name, { detail }]) => [name, detail])).toEqual([
    [
      "Cluster: API server",
      `the cluster of context "live" at https://127.0.0.1:${closed} does not answer (connect ECONNREFUSED 127.0.0.1:${closed})`,
    ],
    ["Identity provider: API", `http://127.0.0.1:${closed} does not answer: connect ECONNREFUSED 127.0.0.1:${closed}`],
    [
      "Postgres: connection",
      `cannot reach database postgres on 127.0.0.1:${closed} as postgres: connect ECONNREFUSED 127.0.0.1:${closed}`,
    ],
  ]);
});

test("reports tools that are not on PATH", async () => {
  const { checks } = await stack.examine({}, { path: "/nonexistent" });
  expect(checks["Local tools: git"]).toEqual({
    state: "skipped",
    detail: "not on PATH",
    hint: "Install git: the access diff compares a stack file with a revision.",
  });
  expect(checks["Local tools: policy pack"]?.state).toBe("failed");
});

test("reports missing operators, their namespace, and storage of an installed Postgres", async () => {
  const install = { kind: "cloudnativepg", service: "ClusterIP", host: "127.0.0.1" };
  const changes = {
    "gatehouse:postgres": { password: "${POSTGRES}", install },
    "gatehouse:observability": { namespace: "monitoring" },
  };
  const prometheus =
    "Install the Prometheus operator (https://prometheus-operator.dev, Installation), or remove gatehouse:observability.";
  expect(failures(await stack.examine(changes), "Cluster", "Operators")).toEqual({
    "Cluster: namespaces of services": fails(
      'namespace "monitoring" does not exist, and the stack file names it',
      "Correct the stack file, or run: kubectl create namespace monitoring",
    ),
    "Cluster: storage class": fails(
      "postgres.install: the cluster has no default storage class",
      "Install a storage provisioner, e.g. https://github.com/rancher/local-path-provisioner.",
    ),
    "Operators: kind Cluster": fails(
      'postgres.install.kind: cluster "live" does not serve Cluster (postgresql.cnpg.io/v1)',
      "Install the operator CloudNativePG (https://cloudnative-pg.io, Installation), or set kind: statefulset.",
    ),
    "Operators: kind PodMonitor": fails(
      'observability: cluster "live" does not serve PodMonitor (monitoring.coreos.com/v1)',
      prometheus,
    ),
    "Operators: kind PrometheusRule": fails(
      'observability: cluster "live" does not serve PrometheusRule (monitoring.coreos.com/v1)',
      prometheus,
    ),
    "Operators: CloudNativePG": fails(...NO_OPERATOR),
  });
});

test("accepts the operator CloudNativePG when one of its pods is ready", async () => {
  const operator = async () => {
    const install = { kind: "cloudnativepg", service: "ClusterIP", host: "127.0.0.1" };
    const { checks } = await stack.examine({ "gatehouse:postgres": { password: "${POSTGRES}", install } });
    return checks["Operators: CloudNativePG"];
  };
  const { cluster } = systems;
  const pods = "/api/v1/namespaces/cnpg-system/pods";
  const metadata = { name: "operator", labels: { "app.kubernetes.io/name": "cloudnative-pg" } };
  await cluster.call("POST", "/api/v1/namespaces", { metadata: { name: "cnpg-system" } });
  await cluster.call("POST", pods, { metadata, spec: { containers: [{ name: "manager", image: "manager" }] } });
  expect(await operator()).toEqual(fails(...NO_OPERATOR));
  await cluster.call("PATCH", `${pods}/operator/status`, {
    status: { conditions: [{ type: "Ready", status: "True" }] },
  });
  expect(await operator()).toEqual(passes("runs in namespace cnpg-system"));
});
