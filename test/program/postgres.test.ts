import { beforeAll, describe, expect, test } from "vitest";
import type { Servers } from "../../infra/servers.ts";
import { sections, stack } from "../config/stacks.ts";
import type { Recorder } from "../helpers/recorder.ts";
import { canary, deploy, PATIENCE } from "../helpers/program.ts";

interface Manifest {
  readonly metadata: { readonly labels: Record<string, string>; readonly annotations: Record<string, string> };
  readonly spec: Record<string, unknown>;
  readonly stringData: Record<string, unknown>;
}

const CNPG = "postgresql.cnpg.io/v1:Cluster";
const namespaced = (name: string) => ({ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } } });
const tcp = (...ports: number[]) => ports.map((port) => ({ protocol: "TCP", port }));
/** What the last deployment waited for. */
let waited: Parameters<Servers["waitUntilAnswers"]>[0][] = [];
const install = (fields: Record<string, unknown>) => {
  waited = [];
  return deploy(
    stack({
      postgres: { password: "${POSTGRES}", install: fields },
      data_api: { ...sections.data_api, version: "v14.17" },
    }),
    { waitUntilAnswers: (address) => Promise.resolve(void waited.push(address)) },
  );
};
const only = (recorder: Recorder, type: string, name: string): Manifest => {
  const found = recorder.objects<Manifest>(type).get(`postgres/${name}`);
  if (!found) throw new Error(`no ${type} "${name}" among ${[...recorder.objects(type).keys()].join(", ")}`);
  return found;
};
/** What pods connect to: PostgREST's URI and password, psql's host, authentik's host and how it is encrypted. */
const connections = (recorder: Recorder) => {
  const all = recorder
    .of("kubernetes:core/v1:Secret")
    .map(({ inputs }) => (inputs["stringData"] ?? {}) as Record<string, unknown>);
  const value = (key: string) => all.map((data) => data[key]).find((found) => found !== undefined);
  const reading = all.find((data) => "PGRST_DB_URI" in data);
  return [
    reading?.["PGRST_DB_URI"],
    reading?.["PGPASSWORD"],
    ...["PGHOST", "PGSSLMODE", "AUTHENTIK_POSTGRESQL__HOST"].map(value),
  ];
};
const provider = (recorder: Recorder) => {
  const { host, port, username, sslmode } = recorder.one("pulumi:providers:postgresql", "postgres").inputs;
  return { host, port, username, sslmode };
};

describe("a server as a StatefulSet", () => {
  let recorder: Recorder;
  beforeAll(async () => {
    recorder = await install({ kind: "statefulset", port: 15432, clients: ["pipelines"], storage_class: "fast" });
  }, PATIENCE);

  test("is one restricted pod with a volume claim", () => {
    const { spec } = only(recorder, "apps/v1:StatefulSet", "postgres");
    const { replicas, podManagementPolicy, serviceName } = spec;
    expect({ replicas, podManagementPolicy, serviceName }).toEqual({
      replicas: 1,
      podManagementPolicy: "Parallel",
      serviceName: "postgres-pods",
    });
    const pod = (spec as unknown as { template: { spec: Record<string, unknown> } }).template.spec;
    expect(pod["automountServiceAccountToken"]).toBe(false);
    expect(pod["securityContext"]).toEqual({
      runAsNonRoot: true,
      runAsUser: 70,
      runAsGroup: 70,
      fsGroup: 70,
      fsGroupChangePolicy: "OnRootMismatch",
      seccompProfile: { type: "RuntimeDefault" },
    });
    const [container] = pod["containers"] as Record<string, unknown>[];
    expect(container).toMatchObject({
      image: "postgres:18-alpine",
      securityContext: {
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
        readOnlyRootFilesystem: true,
      },
      resources: { requests: { cpu: "100m", memory: "256Mi" }, limits: { memory: "1Gi" } },
      readinessProbe: { exec: { command: ["pg_isready", "--host=127.0.0.1", "--username=postgres", "--quiet"] } },
    });
    const mounts = container?.["volumeMounts"] as { name: string; mountPath: string }[];
    expect(Object.fromEntries(mounts.map(({ name, mountPath }) => [name, mountPath]))).toEqual({
      data: "/srv/postgresql",
      superuser: "/etc/superuser",
      tmp: "/tmp",
      run: "/var/run/postgresql",
      shm: "/dev/shm",
    });
    expect(only(recorder, "core/v1:PersistentVolumeClaim", "postgres-data").spec).toEqual({
      accessModes: ["ReadWriteOnce"],
      storageClassName: "fast",
      resources: { requests: { storage: "10Gi" } },
    });
  });

  test("is waited for, and another password than that of its first start is an error", () => {
    const ssl = { ssl: false, followsSecret: false };
    expect(waited).toEqual([
      { host: "localhost", port: 15432, user: "postgres", password: canary("POSTGRES"), ...ssl },
    ]);
  });

  test("has a Service only after its NetworkPolicy", () => {
    const dependencies = recorder.dependencies.get("kubernetes:core/v1:Service postgres-service");
    expect(dependencies).toContain("postgres-network");
  });

  test("accepts connections through a load balancer from private networks only", () => {
    expect(only(recorder, "core/v1:Service", "postgres").spec).toEqual({
      type: "LoadBalancer",
      selector: { "app.kubernetes.io/name": "postgres", "app.kubernetes.io/part-of": "gatehouse" },
      loadBalancerSourceRanges: ["127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
      ports: [
        { name: "postgres", port: 5432, targetPort: 5432 },
        { name: "deployer", port: 15432, targetPort: 5432 },
      ],
    });
    expect(provider(recorder)).toEqual({ host: "localhost", port: "15432", username: "postgres", sslmode: "disable" });
  });

  test("accepts connections from the namespaces that use it, and from the load balancer of k3s", () => {
    const balancer = { matchLabels: { "svccontroller.k3s.cattle.io/svcname": "postgres" } };
    expect(only(recorder, "networking.k8s.io/v1:NetworkPolicy", "postgres").spec).toEqual({
      podSelector: { matchLabels: { "app.kubernetes.io/name": "postgres", "app.kubernetes.io/part-of": "gatehouse" } },
      policyTypes: ["Ingress"],
      ingress: [
        {
          from: [
            ...["authentik", "gatehouse-data", "pipelines"].map(namespaced),
            { ...namespaced("kube-system"), podSelector: balancer },
          ],
          ports: tcp(5432),
        },
      ],
    });
  });

  test("is the host of each connection, by the name of its Service", () => {
    const uri = "postgres://gatehouse_authenticator@127.96.0.9:5432/gatehouse?sslmode=disable";
    expect(connections(recorder)).toEqual([uri, canary("AUTHENTICATOR"), "127.96.0.9", "disable", "127.96.0.9"]);
  });
});

describe("a server of the operator", () => {
  let recorder: Recorder;
  beforeAll(async () => {
    recorder = await install({
      kind: "cloudnativepg",
      service: "ClusterIP",
      size: "20Gi",
      storage_class: "fast",
      monitoring: "observability",
      allowed_from: ["10.1.0.0/16"],
      host: "db.internal",
    });
  }, PATIENCE);

  test("is a Cluster with a superuser, replicas on different nodes, and TLS for every connection", () => {
    const { spec, metadata } = only(recorder, CNPG, "postgres");
    expect(metadata.annotations).toEqual({ "pulumi.com/waitFor": "condition=Ready" });
    expect(spec).toEqual({
      instances: 3,
      imageName: "ghcr.io/cloudnative-pg/postgresql:18-minimal-trixie",
      enableSuperuserAccess: true,
      superuserSecret: { name: "postgres-superuser" },
      storage: { size: "20Gi", storageClass: "fast" },
      bootstrap: { initdb: { dataChecksums: true, localeProvider: "builtin", builtinLocale: "C.UTF-8", locale: "C" } },
      postgresql: {
        parameters: { max_connections: "200", password_encryption: "scram-sha-256", log_min_error_statement: "panic" },
        pg_hba: [
          "hostnossl all all 127.0.0.1/32 scram-sha-256",
          "hostnossl all all all reject",
          "hostssl all all all scram-sha-256",
        ],
        synchronous: { method: "any", number: 2, dataDurability: "preferred" },
      },
      affinity: {
        enablePodAntiAffinity: true,
        podAntiAffinityType: "preferred",
        topologyKey: "kubernetes.io/hostname",
      },
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "topology.kubernetes.io/zone",
          whenUnsatisfiable: "ScheduleAnyway",
          labelSelector: { matchLabels: { "cnpg.io/cluster": "postgres" } },
        },
      ],
      resources: { requests: { cpu: "250m", memory: "512Mi" }, limits: { memory: "2Gi" } },
      enablePDB: true,
      smartShutdownTimeout: 0,
    });
    const secret = recorder.one("kubernetes:core/v1:Secret", "postgres-superuser");
    expect(secret.inputs).toMatchObject({
      metadata: { labels: { "cnpg.io/reload": "true" } },
      type: "kubernetes.io/basic-auth",
      stringData: { username: "postgres", password: canary("POSTGRES") },
    });
    expect(secret.visible).not.toContain(canary("POSTGRES"));
  });

  test("is waited for until it has the password of the Secret", () => {
    const ssl = { ssl: { rejectUnauthorized: false }, followsSecret: true };
    expect(waited).toEqual([
      { host: "db.internal", port: 5432, user: "postgres", password: canary("POSTGRES"), ...ssl },
    ]);
  });

  test("accepts connections from its clients, the operator, its instances and Prometheus", () => {
    const pods = { podSelector: { matchLabels: { "cnpg.io/cluster": "postgres" } } };
    const operator = { matchLabels: { "app.kubernetes.io/name": "cloudnative-pg" } };
    expect(only(recorder, "networking.k8s.io/v1:NetworkPolicy", "postgres").spec).toEqual({
      ...pods,
      policyTypes: ["Ingress"],
      ingress: [
        {
          from: [namespaced("authentik"), namespaced("gatehouse-data"), { ipBlock: { cidr: "10.1.0.0/16" } }],
          ports: tcp(5432),
        },
        { from: [{ ...namespaced("cnpg-system"), podSelector: operator }, pods], ports: tcp(5432, 8000) },
        { from: [namespaced("observability")], ports: tcp(9187) },
      ],
    });
    expect(only(recorder, "monitoring.coreos.com/v1:PodMonitor", "postgres").spec).toEqual({
      selector: { matchLabels: { "cnpg.io/cluster": "postgres" } },
      podMetricsEndpoints: [{ port: "metrics" }],
    });
  });

  test("has clients that write to the primary, and PostgREST that reads from the replicas", () => {
    const hosts = "postgres-ro.postgres.svc:5432,postgres-rw.postgres.svc:5432";
    const options = "sslmode=require&target_session_attrs=prefer-standby&connect_timeout=5";
    expect(connections(recorder)).toEqual([
      `postgres://gatehouse_authenticator@${hosts}/gatehouse?${options}`,
      canary("AUTHENTICATOR"),
      "postgres-rw.postgres.svc",
      "require",
      "postgres-rw.postgres.svc",
    ]);
    expect(provider(recorder)).toEqual({ host: "db.internal", port: "5432", username: "postgres", sslmode: "require" });
    expect(only(recorder, "core/v1:Service", "postgres").spec).toEqual({
      type: "ClusterIP",
      selector: { "cnpg.io/cluster": "postgres", "cnpg.io/instanceRole": "primary" },
      ports: [{ name: "postgres", port: 5432, targetPort: 5432 }],
    });
  });
});

test("requires TLS for pods when the deploying machine forwards a port", async () => {
  const recorder = await install({ kind: "cloudnativepg", service: "ClusterIP", host: "127.0.0.1", instances: 1 });
  expect(provider(recorder)).toMatchObject({ host: "127.0.0.1", sslmode: "disable" });
  expect(waited.map(({ ssl }) => ssl)).toEqual([false]);
  const uri = "postgres://gatehouse_authenticator@postgres-rw.postgres.svc:5432/gatehouse?sslmode=require";
  expect(connections(recorder)).toEqual([
    uri,
    canary("AUTHENTICATOR"),
    "postgres-rw.postgres.svc",
    "require",
    "postgres-rw.postgres.svc",
  ]);
});
