/** The live audit on the local stack: foreign objects planted one after another, each found by its name. */
import { createHash } from "node:crypto";
import { type KubeConfig, type KubernetesObject, KubernetesObjectApi } from "@kubernetes/client-node";
import { beforeAll, describe, expect, inject, test, vi } from "vitest";
import { main } from "../../ops/commands/audit.ts";
import { audit } from "../../ops/checks/audit/audit.ts";
import type { AuditFinding } from "../../ops/checks/audit/finding.ts";
import { readClusterObjects } from "../../ops/clients/clusterObjects.ts";
import { openContext } from "../../ops/context/context.ts";
import { packageFolder } from "../../config/files/folders.ts";
import type { GatewayPods } from "../../infra/network.ts";
import type { Plan } from "../../infra/plan/types.ts";
import { SHELL } from "../helpers/shell.ts";
import { clusterConfig, origin, sendRaw } from "./fixtures.ts";

const CONTEXT = "gatehouse-local";
const TRAEFIK = "traefik.io/v1alpha1";
type Planted = KubernetesObject & { readonly spec: object };

const object = (apiVersion: string, kind: string, namespace: string, spec: object): Planted => ({
  apiVersion,
  kind,
  spec,
  metadata: {
    name: "planted",
    namespace,
  },
});
const route = (match: string, fields: object = {}): Planted => {
  const services = [{ name: "nowhere", port: 80 }];
  return object(TRAEFIK, "IngressRoute", "default", {
    entryPoints: ["web"],
    routes: [{ kind: "Rule", match, services, ...fields }],
  });
};
const ingress = (spec: object): Planted => object("networking.k8s.io/v1", "Ingress", "default", spec);
const backend = { service: { name: "nowhere", port: { number: 80 } } };
const pods = { "app.kubernetes.io/name": "postgrest" };
const ports = [{ port: 3000, targetPort: 3000 }];

const PLANTED: readonly (readonly [title: string, objects: readonly Planted[], problem: string])[] = [
  [
    "a route before a protected host",
    [route("Host(`whoami-legacy.localhost`)", { priority: 9000 })],
    "serves whoami-legacy.localhost",
  ],
  ["a pattern of hosts", [route("HostRegexp(`^whoami-le`)", { priority: 1 })], "serves whoami-legacy.localhost"],
  ["a path on every host", [route("PathPrefix(`/planted`)", { priority: 1 })], "more hosts of the plan"],
  [
    "a protected backend on another host",
    [route("Host(`open.example.com`)", { services: [{ name: "whoami", port: 8080 }] })],
    "routes to default/whoami",
  ],
  [
    "a TCP route for every name",
    [
      object(TRAEFIK, "IngressRouteTCP", "default", {
        entryPoints: ["websecure"],
        routes: [{ match: "HostSNI(`*`)", services: [{ name: "nowhere", port: 80 }] }],
      }),
    ],
    "HostSNI(`*`): serves",
  ],
  [
    "an Ingress for a host",
    [
      ingress({
        rules: [{ host: "admin.localhost", http: { paths: [{ path: "/planted", pathType: "Prefix", backend }] } }],
      }),
    ],
    "serves admin.localhost",
  ],
  [
    "an Ingress with a default backend",
    [ingress({ ingressClassName: "unknown", defaultBackend: backend })],
    "*/: serves",
  ],
  [
    "a Service of type NodePort",
    [object("v1", "Service", "gatehouse-data", { type: "NodePort", selector: pods, ports })],
    "type NodePort",
  ],
  [
    "a Service of another name for the same pods",
    [
      object("v1", "Service", "gatehouse-data", { selector: pods, ports }),
      {
        ...route("Host(`open.example.com`)", { services: [{ name: "planted", port: 3000 }] }),
        metadata: { name: "planted", namespace: "gatehouse-data" },
      },
    ],
    "routes to gatehouse-data/postgrest",
  ],
  [
    "a TraefikService that replaces the limits of the data API, without a route",
    [
      object(TRAEFIK, "TraefikService", "gatehouse-data", {
        weighted: { services: [{ name: "postgrest", port: 3000, nativeLB: true }] },
      }),
    ],
    "replaces how Traefik connects to gatehouse-data/postgrest",
  ],
  [
    "a middleware with a protected backend as authentication server",
    [
      object(TRAEFIK, "Middleware", "gatehouse-data", {
        forwardAuth: {
          address: "http://whoami.default.svc:8080/admin",
          preserveRequestMethod: true,
          authResponseHeadersRegex: "^X-",
        },
      }),
    ],
    "sends requests to default/whoami for authentication",
  ],
  [
    "a NetworkPolicy that admits any client",
    [
      object("networking.k8s.io/v1", "NetworkPolicy", "gatehouse-data", {
        podSelector: { matchLabels: pods },
        ingress: [{}],
      }),
    ],
    "lets any client connect",
  ],
  [
    "a record for a host",
    [
      object("externaldns.k8s.io/v1alpha1", "DNSEndpoint", "default", {
        endpoints: [{ dnsName: "whoami.localhost", recordType: "A", targets: ["192.0.2.1"] }],
      }),
    ],
    "sends whoami.localhost to 192.0.2.1",
  ],
];

describe("the audit of a running cluster", () => {
  let plan: Plan;
  let gateway: GatewayPods;
  let kubeConfig: KubeConfig;
  let objects: KubernetesObjectApi;
  const findings = async (): Promise<readonly AuditFinding[]> =>
    audit(await readClusterObjects(kubeConfig), plan, { context: CONTEXT, given: CONTEXT, gateway });
  const command = async (...args: string[]): Promise<readonly [code: number, out: string]> => {
    let out = "";
    const write = (text: string) => void (out += text);
    const shell = { ...SHELL, environment: process.env, data: inject("platform").data };
    return [await main([CONTEXT, ...args], { ...shell, out: write, error: write }), out];
  };

  beforeAll(() => {
    const { data } = inject("platform");
    const context = openContext(CONTEXT, { project: packageFolder(), data, environment: process.env });
    plan = context.plan;
    gateway = context.settings.gateway;
    kubeConfig = clusterConfig();
    objects = KubernetesObjectApi.makeApiClient(kubeConfig);
  });

  test("finds nothing after a deployment", async () => {
    expect(await findings()).toEqual([]);
    const [code, out] = await command();
    expect([code, out.startsWith(`✔ ${CONTEXT} is as planned: `)]).toEqual([0, true]);
  });

  test.each(PLANTED)("finds %s, and nothing after its deletion", async (_, planted, problem) => {
    try {
      for (const one of planted) await objects.create(one);
      const found = await findings();
      const last = planted.at(-1);
      const label = `${last?.kind ?? ""} ${last?.metadata?.namespace ?? ""}/planted`;
      expect(found.map(({ subject }) => subject)).toEqual([label]);
      expect(found[0]?.message).toContain(problem);
      expect(found[0]?.hint).not.toBe("");
    } finally {
      for (const one of planted) await objects.delete(one);
    }
    expect(await findings()).toEqual([]);
  });

  test.each([
    ["with its namespace", { namespace: "default" }, ""],
    ["that contains its namespace", {}, "default-"],
  ])(
    "finds a route to the backend of a planned rule by a name in Traefik %s, which bypasses its authentication",
    async (_, fields, prefix) => {
      const admin = plan.routes.find(({ name }) => name === "admin");
      const match = admin?.rules.find(({ authentication }) => authentication === "forward-auth")?.match ?? "";
      // Traefik names the backend of a rule by the rule's hash (v3.7, pkg/provider/kubernetes/crd, `makeServiceKey`).
      const name = `${prefix}admin-${createHash("sha256").update(match).digest("hex").slice(0, 20)}@kubernetescrd`;
      const services = [{ kind: "TraefikService", ...fields, name }];
      const planted = route("Host(`open.localhost`)", { services });
      const inOtherNamespace = { ...planted, metadata: { name: "planted", namespace: "gatehouse-data" } };
      const url = `${origin("admin")}/`;
      await objects.create(inOtherNamespace);
      try {
        await vi.waitFor(
          async () => expect((await sendRaw(url.replace("admin.", "open."), [])).status).toBe(200),
          240_000,
        );
        expect((await sendRaw(url, [])).status).toBe(302);
        const found = await findings();
        expect(found.map(({ subject, message }) => [subject, message])).toEqual([
          [
            "IngressRoute gatehouse-data/planted",
            "Host(`open.localhost`): routes to default/whoami without the planned protection",
          ],
        ]);
      } finally {
        await objects.delete(inOtherNamespace);
      }
      expect(await findings()).toEqual([]);
    },
  );

  test("finds a middleware with the name of a planned one in Traefik", async () => {
    const planted = {
      ...object(TRAEFIK, "Middleware", "default", { headers: { customRequestHeaders: { "X-Planted": "" } } }),
      metadata: { name: "legacy.basic-auth", namespace: "default" },
    };
    await objects.create(planted);
    try {
      const found = await findings();
      expect(found.map(({ subject, message }) => [subject, message])).toEqual([
        [
          "Middleware default/legacy.basic-auth",
          "replaces Middleware default/legacy-basic-auth, which has the same name in Traefik",
        ],
      ]);
      expect(found[0]?.hosts).toContain("whoami-legacy.localhost");
    } finally {
      await objects.delete(planted);
    }
    expect(await findings()).toEqual([]);
  });

  test("prints a finding with exit code 1, and ignores an accepted object", async () => {
    const planted = route("Host(`whoami-legacy.localhost`)", { priority: 9000 });
    await objects.create(planted);
    try {
      const [code, out] = await command("--json");
      const { ok, findings: printed } = JSON.parse(out) as { ok: boolean; findings: { subject: string }[] };
      expect([code, ok, printed.map((finding) => finding.subject)]).toEqual([
        1,
        false,
        ["IngressRoute default/planted"],
      ]);
      expect(await command("--accept", "IngressRoute default/planted").then(([accepted]) => accepted)).toBe(0);
    } finally {
      await objects.delete(planted);
    }
  });

  test("reports kinds that the user may not read", async () => {
    const restricted = clusterConfig();
    restricted.users = restricted.users.map((user) => ({ ...user, impersonateUser: "restricted" }));
    const found = audit(await readClusterObjects(restricted), plan, { context: CONTEXT, given: CONTEXT });
    expect(found.length).toBeGreaterThan(5);
    expect(new Set(found.map(({ rule }) => rule))).toEqual(new Set(["everything-is-read"]));
    expect(found.map(({ subject }) => subject)).toContain("every IngressRoute");
  });
});
