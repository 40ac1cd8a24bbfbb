import { beforeAll, describe, expect, test } from "vitest";
import { publicUrl } from "../../infra/data/dataApi.ts";
import { migrationVariables, readMigrations } from "../../infra/data/migrations.ts";
import { computePlan } from "../../infra/plan/plan.ts";
import { parseStack } from "../../config/load.ts";
import { sections, shell, stack } from "../config/stacks.ts";
import { deploy, PATIENCE } from "../helpers/program.ts";
import type { Recorded, Recorder } from "../helpers/recorder.ts";
import { gatewayIn } from "../helpers/networkPolicy.ts";

const LABELS = { "app.kubernetes.io/name": "postgrest", "app.kubernetes.io/part-of": "gatehouse" };
const RAW = stack({
  protected_services: [],
  data_api: { ...sections.data_api, replicas: 3, max_replicas: 6, limits: { connections: 7, max_age: 30 } },
  gateway: { version: "3.7.13", namespace: "ingress" },
});

interface Manifest {
  readonly spec: Record<string, unknown>;
}

describe("the data API under mocks", () => {
  let recorder: Recorder;
  const spec = (type: string, name = "gatehouse-data/postgrest") => recorder.objects<Manifest>(type).get(name)?.spec;

  beforeAll(async () => {
    recorder = await deploy(RAW);
  }, PATIENCE);

  test("runs PostgREST with restricted rights on different nodes, with rolling updates", () => {
    const deployed = spec("apps/v1:Deployment") as {
      replicas: number;
      strategy: unknown;
      template: { spec: Record<string, unknown> & { containers: Record<string, unknown>[] } };
    };
    expect([deployed.replicas, deployed.strategy]).toEqual([3, { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } }]);
    const { containers, ...pod } = deployed.template.spec;
    expect(pod).toEqual({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 1000,
        runAsGroup: 1000,
        fsGroup: 1000,
        seccompProfile: { type: "RuntimeDefault" },
      },
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "kubernetes.io/hostname",
          whenUnsatisfiable: "ScheduleAnyway",
          labelSelector: { matchLabels: LABELS },
        },
      ],
    });
    const [container] = containers;
    expect(containers.length).toBe(1);
    expect(container).toMatchObject({
      image: "postgrest/postgrest:v14.17",
      securityContext: {
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
        readOnlyRootFilesystem: true,
      },
      readinessProbe: { httpGet: { path: "/ready", port: 3001 } },
      livenessProbe: { httpGet: { path: "/live", port: 3001 } },
      resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { memory: "512Mi" } },
    });
  });

  test("exposes the admin port in no Service", () => {
    expect(spec("core/v1:Service")).toMatchObject({ ports: [{ name: "http", port: 3000, targetPort: 3000 }] });
  });

  test("scales between replicas and max_replicas, and loses at most one in a disruption", () => {
    expect(spec("autoscaling/v2:HorizontalPodAutoscaler")).toEqual({
      scaleTargetRef: {
        apiVersion: "apps/v1",
        kind: "Deployment",
        name: "postgrest",
      },
      minReplicas: 3,
      maxReplicas: 6,
      metrics: [
        {
          type: "Resource",
          resource: {
            name: "cpu",
            target: {
              type: "Utilization",
              averageUtilization: 70,
            },
          },
        },
      ],
    });
    expect(spec("policy/v1:PodDisruptionBudget")).toEqual({ maxUnavailable: 1, selector: { matchLabels: LABELS } });
  });

  test("accepts connections from the gateway only, and connects to DNS and the database only", () => {
    const type = "kubernetes:apps/v1:Deployment";
    const [deployment] =
      [...recorder.dependencies].find(([name]) => name.startsWith(`${type} `) && name.includes("postgrest")) ?? [];
    expect(recorder.dependencies.get(deployment ?? "")?.some((name) => name.endsWith("-network"))).toBe(true);
    const policy = spec("networking.k8s.io/v1:NetworkPolicy") as { ingress: unknown; egress: { ports: unknown }[] };
    expect(policy).toMatchObject({ podSelector: { matchLabels: LABELS }, policyTypes: ["Ingress", "Egress"] });
    expect(policy.ingress).toEqual([{ from: [gatewayIn("ingress")], ports: [{ protocol: "TCP", port: 3000 }] }]);
    const [dns, database, ...others] = policy.egress;
    expect(others).toEqual([]);
    expect(dns).toEqual({
      ports: [
        { protocol: "UDP", port: 53 },
        { protocol: "TCP", port: 53 },
      ],
    });
    expect(database).toEqual({ ports: [{ protocol: "TCP", port: 5432 }] });
  });

  test("limits the connections of the authenticator to all replicas and a rollout", () => {
    const { inputs } = recorder.one("postgresql:index/role:Role", "data-database-authenticator");
    expect(inputs["connectionLimit"]).toBe((6 + 1) * (7 + 2));
  });

  test("passes roles, schemas and limits to the migrations, and creates a new Job on a change", async () => {
    const [job] = recorder.of("kubernetes:batch/v1:Job") as [Recorded];
    const { args } = (job.inputs as { spec: { template: { spec: { containers: { args: string[] }[] } } } }).spec
      .template.spec.containers[0] as { args: string[] };
    expect(args).toContain("max_age=30");
    expect(args).toContain("exposed=api_v1,marts,raw");
    expect(args.filter((arg) => arg.startsWith("/sql/"))).toEqual(
      Object.keys(readMigrations()).map((file) => `/sql/${file}`),
    );
    const other = await deploy(
      stack({ protected_services: [], data_api: { ...sections.data_api, limits: { max_age: 31 } } }),
    );
    const [changed] = other.of("kubernetes:batch/v1:Job") as [Recorded];
    expect(changed.name).toBe(job.name);
    expect(hashOf(changed)).not.toBe(hashOf(job));
  });

  test("connects to the address of an existing server, or to pods, since it can be the cluster IP of a Service", async () => {
    const postgres = { ...sections.postgres, host: "10.43.7.9" };
    const other = await deploy(stack({ protected_services: [], data_api: sections.data_api, postgres }));
    const policies = other.objects<{ spec: { egress: unknown[] } }>("networking.k8s.io/v1:NetworkPolicy");
    expect(policies.get("gatehouse-data/postgrest")?.spec.egress[1]).toEqual({
      to: [{ ipBlock: { cidr: "10.43.7.9/32" } }, { namespaceSelector: {} }],
      ports: [{ protocol: "TCP", port: 5432 }],
    });
  });

  test.each([
    ["database", { database: { name: "shop2", existing: true } }, {}],
    ["server", { database: { name: "shop", existing: true } }, { host: "other.example.org" }],
  ])("runs the migrations in another existing %s", async (_what, dataApi, server) => {
    const job = async (data_api: object, postgres: object): Promise<Recorded> => {
      const sectionsOf = { protected_services: [], data_api: { ...sections.data_api, ...data_api } };
      const other = await deploy(stack({ ...sectionsOf, postgres: { ...sections.postgres, ...postgres } }));
      return other.of("kubernetes:batch/v1:Job")[0] as Recorded;
    };
    const first = await job({ database: { name: "shop", existing: true } }, {});
    expect(hashOf(await job(dataApi, server))).not.toBe(hashOf(first));
    expect(hashOf(await job({ database: { name: "shop", existing: true } }, {}))).toBe(hashOf(first));
  });
});

/** Returns the annotation of a template that makes it another one with another text. */
function hashOf({ inputs }: Recorded): string | undefined {
  return (inputs as { spec: { template: { metadata: { annotations: Record<string, string> } } } }).spec.template
    .metadata.annotations["gatehouse/sql"];
}

test("sets the migrations' variables from the plan", () => {
  const { data } = computePlan(parseStack(RAW, shell));
  if (!data) throw new Error("the stack has no data API");
  expect(migrationVariables(data)).toEqual({
    anonymous: "gatehouse_anonymous",
    authenticator: "gatehouse_authenticator",
    owner: "gatehouse_owner",
    administrator: "postgres",
    api: "api_v1",
    exposed: "api_v1,marts,raw",
    private: "private_marts,private_raw",
    max_rows: "1000",
    max_selected: "100",
    max_ordered: "100",
    exact_count_rows: "1000000",
    max_age: "30",
    in_flight: "6",
    hidden: "",
    existing: "off",
    writers: "",
  });
});

describe("the database of the data API", () => {
  const deployed = (database: unknown, postgres: Record<string, unknown> = {}) =>
    deploy(
      stack({
        protected_services: [],
        data_api: { ...sections.data_api, database, writers: ["dbt"] },
        postgres: { ...sections.postgres, ...postgres },
        identity_provider: { url: "https://id.example.org", token: "${TOKEN}", install: false },
      }),
    );
  const types = (recorder: Recorder) =>
    [...new Set(recorder.resources.map(({ type }) => type))].filter((type) => type.startsWith("postgresql:")).sort();

  test.each(["shop", { name: "shop" }])("is created with its schemas: %j", async (database) => {
    const recorder = await deployed(database);
    expect(recorder.one("postgresql:index/database:Database", "data-database-database").inputs["name"]).toBe("shop");
    expect(recorder.of("postgresql:index/schema:Schema").map(({ inputs }) => inputs["name"])).toEqual([
      "api_v1",
      "marts",
      "raw",
      "private_marts",
      "private_raw",
      "catalog",
      "gatehouse",
      "gatehouse_openapi",
    ]);
  });

  test(
    "is not a resource if it exists, nor are its schemas and grants",
    async () => {
      const recorder = await deployed({ name: "shop", existing: true }, { user: "admin", superuser: false });
      expect(types(recorder)).toEqual(["postgresql:index/role:Role"]);
      const [all, ofRoles] = ["postgres", "data-postgres"].map(
        (name) => recorder.one("pulumi:providers:postgresql", name).inputs,
      );
      // An input of the first one would change when the section is removed, before the roles are deleted.
      expect(all).not.toHaveProperty("database");
      expect(ofRoles).toEqual({ ...all, database: "shop" });
      expect(all).toMatchObject({ superuser: "false", username: "admin" });
      const [job] = recorder.of("kubernetes:batch/v1:Job");
      const text = JSON.stringify(job?.inputs);
      expect(["existing=on", "writers=dbt"].filter((arg) => !text.includes(`"${arg}"`))).toEqual([]);
    },
    PATIENCE,
  );
});

test.each([
  [{ localhost: {} }, "http://data.localhost"],
  [{ localhost: {}, mesh: { enabled: true, base_domain: "mesh.example.org" } }, "https://data.mesh.example.org"],
  [
    {
      localhost: {},
      external: { enabled: true, base_domain: "example.org" },
      zone: { enabled: true, base_domain: "zone.org", protocol: "https", description: "Another" },
    },
    "https://data.example.org",
  ],
])("returns the public address that most users can reach: %#", (domains, url) => {
  const plan = computePlan(parseStack(stack({ domains, protected_services: [] }), shell));
  expect(publicUrl(plan.exposures)).toBe(url);
});
