import type { Settings } from "../../config/settings.ts";
import type { Plan } from "../plan/types.ts";

/** A kind of custom resource that the stack deploys. */
export interface CustomKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Configuration that needs it, in the user's spelling. */
  readonly entry: string;
  /** What to install, or how to do without it. */
  readonly hint: string;
}

const TRAEFIK = { group: "traefik.io", version: "v1alpha1", entry: "gateway" };
const TRAEFIK_HINT = "Install Traefik with its custom resource definitions (https://doc.traefik.io, Kubernetes)";

/** Returns every kind of custom resource that the stack deploys. */
export function customKinds(settings: Settings, plan: Plan): CustomKind[] {
  const recorded = plan.records.filter(({ targets }) => targets.length > 0);
  return [
    ...["IngressRoute", "Middleware", ...(plan.traefikServices.length > 0 ? ["TraefikService"] : [])].map((kind) => ({
      ...TRAEFIK,
      kind,
      hint: TRAEFIK_HINT,
    })),
    ...recorded.slice(0, 1).map(({ domain }) => ({
      group: "externaldns.k8s.io",
      version: "v1alpha1",
      kind: "DNSEndpoint",
      entry: `domains.${domain}.targets`,
      hint: "Install the DNSEndpoint definition of ExternalDNS (its source is crd), or remove targets from each domain",
    })),
    ...(settings.postgres?.install?.kind === "cloudnativepg"
      ? [
          {
            group: "postgresql.cnpg.io",
            version: "v1",
            kind: "Cluster",
            entry: "postgres.install.kind",
            hint: "Install the operator CloudNativePG (https://cloudnative-pg.io, Installation), or set kind: statefulset",
          },
        ]
      : []),
    ...(settings.postgres?.install?.monitoring === undefined
      ? []
      : [ofPrometheus("PodMonitor", "postgres.install.monitoring", "monitoring")]),
    ...(settings.observability
      ? ["PodMonitor", "PrometheusRule"].map((kind) => ofPrometheus(kind, "observability", "gatehouse:observability"))
      : []),
  ];
}

/** @param removable the field or section without which the kind is not needed */
function ofPrometheus(kind: string, entry: string, removable: string): CustomKind {
  const hint = `Install the Prometheus operator (https://prometheus-operator.dev, Installation), or remove ${removable}`;
  return { group: "monitoring.coreos.com", version: "v1", kind, entry, hint };
}
