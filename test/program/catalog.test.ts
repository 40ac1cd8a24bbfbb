import { beforeAll, describe, expect, test } from "vitest";
import { parseStack } from "../../config/load.ts";
import { catalogSettings } from "../../infra/data/catalog.ts";
import { publicUrl } from "../../infra/data/dataApi.ts";
import { computePlan } from "../../infra/plan/plan.ts";
import { sections, shell, stack } from "../config/stacks.ts";
import { deploy, PATIENCE } from "../helpers/program.ts";
import type { Recorder } from "../helpers/recorder.ts";
import { gatewayIn } from "../helpers/networkPolicy.ts";

const LABELS = { "app.kubernetes.io/name": "catalog", "app.kubernetes.io/part-of": "gatehouse" };
const NAME = "gatehouse-data/catalog";
/** In the order of the table (config/sections/dataApi/limits.ts); the stack sets some of them. */
const LIMITS = {
  maxRows: 250,
  exactCountRows: 5000,
  statementTimeout: 2500,
  requestsPerSecond: 50,
  burst: 100,
  inFlight: 3,
  maxAge: 60,
};
const KEYS = {
  "assets_main-1.js.br": "assets/main-1.js.br",
  "index.html.br": "index.html.br",
  "server.mjs": "server.mjs",
};

describe("the catalog under mocks", () => {
  let recorder: Recorder;
  const object = (type: string, name = NAME) => recorder.objects(type).get(name);

  beforeAll(async () => {
    const catalog = { base_path: "/explore/", replicas: 3 };
    const gateway = { version: "3.7.13", namespace: "ingress" };
    const limits = { max_rows: 250, exact_count_rows: 5000, statement_timeout: "2500ms", in_flight: 3 };
    const data_api = { ...sections.data_api, catalog, limits };
    recorder = await deploy(stack({ protected_services: [], gateway, data_api }));
  }, PATIENCE);

  test("stores its files in an immutable, autonamed ConfigMap", () => {
    expect(recorder.one("kubernetes:core/v1:ConfigMap", "data-catalog-files").inputs).toEqual({
      apiVersion: "v1",
      kind: "ConfigMap",
      immutable: true,
      metadata: {
        namespace: "gatehouse-data",
        labels: LABELS,
      },
      binaryData: {
        "assets_main-1.js.br": Buffer.from("script").toString("base64"),
        "index.html.br": Buffer.from("page").toString("base64"),
        "server.mjs": Buffer.from("server").toString("base64"),
      },
    });
  });

  test("runs its server with restricted rights on different nodes", () => {
    expect(object("apps/v1:Deployment")?.["spec"]).toEqual({
      replicas: 3,
      selector: { matchLabels: LABELS },
      strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      template: {
        metadata: { labels: LABELS },
        spec: {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 1000,
            runAsGroup: 1000,
            fsGroup: 1000,
            seccompProfile: { type: "RuntimeDefault" },
          },
          containers: [
            {
              name: "catalog",
              image: "node:24-alpine",
              command: ["node", "/app/server.mjs"],
              env: [
                {
                  name: "PORT",
                  value: "8080",
                },
                { name: "BASE_PATH", value: "/explore/" },
                {
                  name: "BASE_URLS",
                  value: JSON.stringify({
                    "catalog.localhost": "http://data.localhost",
                    "catalog.mesh.example.org": "https://data.mesh.example.org",
                  }),
                },
                {
                  name: "DEFAULT_BASE_URL",
                  value: "https://data.mesh.example.org",
                },
                { name: "LIMITS", value: JSON.stringify(LIMITS) },
              ],
              ports: [
                {
                  name: "http",
                  containerPort: 8080,
                },
              ],
              startupProbe: {
                httpGet: {
                  path: "/healthz",
                  port: 8080,
                },
                periodSeconds: 1,
                failureThreshold: 300,
              },
              readinessProbe: {
                httpGet: {
                  path: "/healthz",
                  port: 8080,
                },
                periodSeconds: 2,
              },
              livenessProbe: {
                httpGet: {
                  path: "/healthz",
                  port: 8080,
                },
                periodSeconds: 10,
              },
              resources: {
                requests: {
                  cpu: "10m",
                  memory: "96Mi",
                },
                limits: { memory: "256Mi" },
              },
              lifecycle: { preStop: { sleep: { seconds: 5 } } },
              volumeMounts: [
                {
                  name: "app",
                  mountPath: "/app",
                  readOnly: true,
                },
              ],
              terminationMessagePolicy: "FallbackToLogsOnError",
              securityContext: {
                allowPrivilegeEscalation: false,
                capabilities: { drop: ["ALL"] },
                readOnlyRootFilesystem: true,
              },
            },
          ],
          volumes: [
            {
              name: "app",
              configMap: {
                items: Object.entries(KEYS).map(([key, path]) => ({
                  key,
                  path,
                })),
              },
            },
          ],
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: "kubernetes.io/hostname",
              whenUnsatisfiable: "ScheduleAnyway",
              labelSelector: { matchLabels: LABELS },
            },
          ],
        },
      },
    });
  });

  test("accepts connections from the gateway only, and opens none", () => {
    const gateway = gatewayIn("ingress");
    expect(object("networking.k8s.io/v1:NetworkPolicy")?.["spec"]).toEqual({
      podSelector: { matchLabels: LABELS },
      policyTypes: ["Ingress", "Egress"],
      ingress: [{ from: [gateway], ports: [{ protocol: "TCP", port: 8080 }] }],
      egress: [],
    });
  });

  test("has one Service, and loses at most one replica in a disruption", () => {
    expect(object("core/v1:Service")?.["spec"]).toMatchObject({
      selector: LABELS,
      ports: [
        {
          name: "http",
          port: 8080,
          targetPort: 8080,
        },
      ],
    });
    expect(object("policy/v1:PodDisruptionBudget")?.["spec"]).toEqual({
      maxUnavailable: 1,
      selector: { matchLabels: LABELS },
    });
  });

  test("contains no secret", () => {
    const own = recorder.resources.filter(({ name }) => name.startsWith("data-catalog"));
    expect(own.map(({ name }) => name.replace("data-catalog", "")).sort()).toEqual([
      "",
      "-deployment",
      "-disruption",
      "-files",
      "-network",
      "-service",
    ]);
    expect(JSON.stringify(own)).not.toMatch(/canary-|\[secret\]/);
  });
});

test(
  "creates no resource and no host of the catalog for a stack without one",
  async () => {
    const raw = stack({ protected_services: [], data_api: { ...sections.data_api, catalog: false } });
    const recorder = await deploy(raw);
    expect(recorder.resources.filter(({ name }) => name.startsWith("data-catalog")).map(({ name }) => name)).toEqual(
      [],
    );
    const plan = computePlan(parseStack(raw, shell));
    expect(JSON.stringify([plan.exposures, plan.routes])).not.toContain("catalog");
  },
  PATIENCE,
);

test("reads the data API of the same domain on each domain", () => {
  const partner = { enabled: true, base_domain: "partner.org", protocol: "https", description: "Another", port: 8443 };
  const raw = stack({ domains: { localhost: { port: 8080 }, partner }, protected_services: [] });
  const settings = parseStack(raw, shell);
  const { exposures } = computePlan(settings);
  const { catalog, limits } = settings.dataApi ?? {};
  if (!catalog || !limits) throw new Error("the stack has no catalog");
  expect(catalogSettings({ catalog, exposures, publicUrl: publicUrl(exposures) ?? "", limits })).toEqual({
    PORT: "8080",
    BASE_PATH: "/",
    BASE_URLS: JSON.stringify({
      "catalog.localhost:8080": "http://data.localhost:8080",
      "catalog.partner.org:8443": "https://data.partner.org:8443",
    }),
    DEFAULT_BASE_URL: "https://data.partner.org:8443",
    LIMITS: JSON.stringify({
      maxRows: 1000,
      exactCountRows: 1_000_000,
      statementTimeout: 5000,
      requestsPerSecond: 50,
      burst: 100,
      inFlight: 6,
      maxAge: 60,
    }),
  });
});
