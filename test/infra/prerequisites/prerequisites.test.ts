import { describe, expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import type { ClusterFacts, TraefikFacts } from "../../../infra/prerequisites/cluster.ts";
import { problemsOf } from "../../../infra/prerequisites/prerequisite.ts";
import { prerequisites } from "../../../infra/prerequisites/prerequisites.ts";
import { sections, shell, stack } from "../../config/stacks.ts";

const context = { "kubernetes:context": { value: "dev" } };
const edge = {
  enabled: true,
  base_domain: "edge.org",
  protocol: "https",
  tls: "upstream",
  description: "Behind a proxy",
};

const KINDS = ["IngressRoute", "Middleware", "TraefikService"].map((kind) => `traefik.io/v1alpha1/${kind}`);
const ARGS = [
  "--ping=true",
  "--providers.kubernetescrd",
  "--entryPoints.web.address=:8000/tcp",
  "--entryPoints.websecure.address=:8443/tcp",
];
const TRAEFIK: TraefikFacts = {
  version: "3.7.13",
  args: ARGS,
  forwardAuthFields: ["address", "maxResponseBodySize"],
  pods: [],
  hostNetwork: false,
  failoverFields: ["name", "middlewares"],
  nodePortServices: [],
};
const FACTS: ClusterFacts = {
  version: "v1.36.4+k3s1",
  uid: "uid",
  kinds: KINDS,
  traefik: TRAEFIK,
  identityService: undefined,
};

function problems(changes: Record<string, unknown>, facts: Partial<ClusterFacts>): string[] {
  const settings = parseStack(stack(changes, context), shell);
  return problemsOf(prerequisites(settings, computePlan(settings), { ...FACTS, ...facts }));
}
const withTraefik = (facts: Partial<TraefikFacts>) => ({ traefik: { ...TRAEFIK, ...facts } });

test("reports nothing for a complete cluster", () => {
  expect(problems({}, {})).toEqual([]);
  expect(problems({}, { version: "v1.33.0" })).toEqual([]);
});

test("reports every missing kind with its entry and hint, and the version", () => {
  const domains = { ...sections.domains, mesh: { ...sections.domains.mesh, targets: ["203.0.113.7"] } };
  const postgres = { password: "${POSTGRES}", install: { kind: "cloudnativepg", version: "18" } };
  const observability = { namespace: "monitoring" };
  const missing = (entry: string, kind: string) => `${entry}: cluster "dev" does not serve ${kind}. `;
  const traefik = "Install Traefik with its custom resource definitions (https://doc.traefik.io, Kubernetes).";
  const prometheus =
    "Install the Prometheus operator (https://prometheus-operator.dev, Installation), or remove gatehouse:observability.";
  expect(problems({ domains, postgres, observability }, { version: "v1.32.9", kinds: [], traefik: undefined })).toEqual(
    [
      'kubernetes:context: cluster "dev" runs Kubernetes v1.32.9. Use 1.33.0 or newer.',
      missing("gateway", "IngressRoute (traefik.io/v1alpha1)") + traefik,
      missing("gateway", "Middleware (traefik.io/v1alpha1)") + traefik,
      missing("gateway", "TraefikService (traefik.io/v1alpha1)") + traefik,
      missing("domains.mesh.targets", "DNSEndpoint (externaldns.k8s.io/v1alpha1)") +
        "Install the DNSEndpoint definition of ExternalDNS (its source is crd), or remove targets from each domain.",
      missing("postgres.install.kind", "Cluster (postgresql.cnpg.io/v1)") +
        "Install the operator CloudNativePG (https://cloudnative-pg.io, Installation), or set kind: statefulset.",
      missing("observability", "PodMonitor (monitoring.coreos.com/v1)") + prometheus,
      missing("observability", "PrometheusRule (monitoring.coreos.com/v1)") + prometheus,
    ],
  );
});

test("reports the missing kind of the PodMonitor of an installed Postgres", () => {
  const install = { kind: "cloudnativepg", monitoring: "monitoring" };
  const kinds = [...KINDS, "postgresql.cnpg.io/v1/Cluster"];
  expect(problems({ postgres: { password: "${POSTGRES}", install } }, { kinds })).toEqual([
    'postgres.install.monitoring: cluster "dev" does not serve PodMonitor (monitoring.coreos.com/v1). ' +
      "Install the Prometheus operator (https://prometheus-operator.dev, Installation), or remove monitoring.",
  ]);
});

test("accepts a cluster without a kind that the stack does not deploy", () => {
  expect(problems({}, { kinds: KINDS, traefik: undefined })).toEqual([]);
});

describe("the Traefik that runs", () => {
  test("is refused when its version has a known vulnerability, and when it differs from the stated one", () => {
    expect(problems({}, withTraefik({ version: "3.7.2" }))).toEqual([
      "gateway: Traefik in namespace kube-system: Traefik 3.7.2 has CVE-2026-48020: dot segments bypass the authentication of a route, and " +
        "basic auth without users is open. Use 3.7.3 or newer. See docs/versions.md.",
      "gateway.version: 3.7.13, but Traefik in namespace kube-system is 3.7.2. Set gateway.version to 3.7.2, or upgrade Traefik.",
    ]);
    expect(problems({ gateway: {} }, withTraefik({ version: "3.7.8" }))).toEqual([]);
  });

  test("is refused when its definitions are older than it", () => {
    expect(problems({}, withTraefik({ forwardAuthFields: ["address"] }))).toEqual([
      "gateway: the definition of Middleware in the cluster has no field forwardAuth.maxResponseBodySize. Apply the custom resource " +
        "definitions of the Traefik that runs, or upgrade its chart instead of its image alone (docs/versions.md).",
    ]);
    expect(problems({}, withTraefik({ forwardAuthFields: undefined }))).toEqual([]);
    expect(problems({}, withTraefik({ failoverFields: ["name"] }))).toEqual([
      "gateway: the definition of TraefikService in the cluster has no field failover.service.middlewares. Apply the custom resource " +
        "definitions of the Traefik that runs, or upgrade its chart instead of its image alone (docs/versions.md).",
    ]);
    expect(problems({}, withTraefik({ failoverFields: undefined }))).toEqual([]);
  });

  test("is refused when it lacks an entry point that a route uses", () => {
    expect(
      problems({ gateway: { version: "3.7.13", http_entry_point: "http", https_entry_point: "tls" } }, {}),
    ).toEqual([
      'gateway.http_entry_point: Traefik in namespace kube-system has no entry point "http". Use one of web, websecure.',
      'gateway.https_entry_point: Traefik in namespace kube-system has no entry point "tls". Use one of web, websecure.',
    ]);
    expect(problems({ gateway: { version: "3.7.13", http_entry_point: "http" } }, withTraefik({ args: [] }))).toEqual(
      [],
    );
  });
});

test("refuses an entry point that does not resolve `..`", () => {
  const args = (value: string) => ({ args: [...ARGS, `--entryPoints.web.http.sanitizePath=${value}`] });
  expect(problems({}, withTraefik(args("false")))).toEqual([
    'gateway.http_entry_point: Traefik in namespace kube-system does not resolve ".." in paths of entry point "web". ' +
      "Remove the argument --entryPoints.web.http.sanitizePath=false.",
  ]);
  expect(problems({}, withTraefik(args("true")))).toEqual([]);
});

describe("tls: upstream", () => {
  const domains = { localhost: {}, edge };
  const option = (name: string, value: string) => [...ARGS, `--entryPoints.web.forwardedHeaders.${name}=${value}`];

  test("is refused when Traefik trusts no proxy", () => {
    expect(problems({ domains }, {})).toEqual([
      "domains.edge.tls: upstream: Traefik trusts no proxy, so that all clients share one rate limit. " +
        "List the addresses of the proxies in --entryPoints.web.forwardedHeaders.trustedIPs.",
    ]);
  });

  test("is refused when Traefik trusts every sender", () => {
    expect(problems({ domains }, withTraefik({ args: option("insecure", "true") }))).toEqual([
      "domains.edge.tls: upstream: Traefik trusts the X-Forwarded-For header of every sender (--entryPoints.web.forwardedHeaders.insecure), " +
        "so that a client can choose its address. List the addresses of the proxies in --entryPoints.web.forwardedHeaders.trustedIPs.",
    ]);
  });

  test("is accepted when Traefik trusts addresses, whatever the case of its options, and when its options are not readable", () => {
    for (const args of [option("trustedIPs", "10.0.0.0/8,192.0.2.1"), option("trustedips", "10.0.0.0/8,192.0.2.1")]) {
      expect(problems({ domains }, withTraefik({ args }))).toEqual([]);
    }
    expect(problems({ domains }, withTraefik({ args: ["--configFile=/etc/traefik.yaml"] }))).toEqual([]);
    expect(problems({ domains }, { traefik: undefined })).toEqual([]);
  });

  test("requires no trusted proxy for a disabled domain", () => {
    expect(problems({ domains: { localhost: {}, edge: { ...edge, enabled: false } } }, {})).toEqual([]);
  });
});

describe("the Service of an existing authentik", () => {
  const identity_provider = {
    install: false,
    url: "https://sso.example.org",
    token: "${TOKEN}",
    namespace: "sso",
    service: { name: "authentik-server" },
  };
  const refused = (identityService: ClusterFacts["identityService"]) =>
    problems({ identity_provider }, { identityService });
  const ports = [
    { name: "http", port: 80 },
    { name: "https", port: 443 },
  ];

  test("is accepted with the port, and if it cannot be read", () => {
    expect(refused({ clusterIP: "10.43.0.9", ports: [{ port: 9000 }] })).toEqual([]);
    expect(refused(undefined)).toEqual([]);
    expect(problems({}, { identityService: null })).toEqual([]);
  });

  test("is refused when it is missing, and when it has no such port or no cluster IP", () => {
    expect(refused(null)).toEqual([
      'identity_provider.service: namespace sso has no Service "authentik-server". ' +
        "Set identity_provider.namespace and identity_provider.service to those of authentik's Service.",
    ]);
    expect(refused({ clusterIP: "10.43.0.9", ports })).toEqual([
      "identity_provider.service.port: Service sso/authentik-server has no port 9000. Set it to the one with HTTP: 80 (http), 443 (https).",
    ]);
    for (const spec of [{ clusterIP: "None", ports }, { externalName: "sso.example.org" }]) {
      expect(refused(spec)).toEqual([
        "identity_provider.service: Service sso/authentik-server has no cluster IP, to which the outposts connect. " +
          "Name one that is neither headless nor of type ExternalName.",
      ]);
    }
  });
});
