/** The pods that have metrics, and their ports. Pure. */
import type { Settings } from "../../config/settings.ts";
import { hasMetrics } from "../../config/sections/dataApi/postgrestVersions.ts";
import { outpostNamespace } from "../plan/objectNames.ts";
import type { Plan } from "../plan/types.ts";
import { labelsOf } from "../pods.ts";

/** Pods that show metrics on a port. */
export interface Target {
  /** Name of its PodMonitor, and the end of Prometheus' label `job`. */
  readonly name: string;
  readonly namespace: string;
  /** Labels of the pods. */
  readonly pods: Readonly<Record<string, string>>;
  /** Name of the container's port. */
  readonly port: string;
  /** Its number, for the NetworkPolicy of the pods; undefined = the stack does not deploy the pods. */
  readonly number: number | undefined;
}

/** Name of the target with Traefik's pods, which every stack has. */
export const GATEWAY_TARGET = "gatehouse-gateway";
/** Name of the target with the outposts. */
export const IDENTITY_TARGET = "gatehouse-identity";
/** authentik's server, worker and outposts (authentik docs, "Monitoring"). */
export const AUTHENTIK_METRICS = { name: "metrics", containerPort: 9300 };
/** PostgREST's admin port. */
export const POSTGREST_ADMIN = { name: "admin", containerPort: 3001 };
/** CloudNativePG's instances (its docs, "Security", exposed ports). */
export const CLOUDNATIVEPG_METRICS = { name: "metrics", containerPort: 9187 };

const PART_OF_GATEHOUSE = { "app.kubernetes.io/part-of": "gatehouse" };

/** Returns the pods with metrics: those of the gateway, and those that the stack installs. */
export function targets(settings: Settings, plan: Pick<Plan, "outposts" | "installsIdentityProvider">): Target[] {
  const { gateway, dataApi, postgres } = settings;
  const all: (Target | undefined)[] = [
    {
      name: GATEWAY_TARGET,
      namespace: gateway.namespace,
      pods: gateway.podLabels,
      port: "metrics",
      number: undefined,
    },
    // The server, where the stack installs it, and the outposts.
    plan.installsIdentityProvider || plan.outposts.length > 0
      ? {
          name: IDENTITY_TARGET,
          namespace: outpostNamespace(settings),
          pods: PART_OF_GATEHOUSE,
          port: AUTHENTIK_METRICS.name,
          number: AUTHENTIK_METRICS.containerPort,
        }
      : undefined,
    dataApi && hasMetrics(dataApi.version)
      ? {
          name: "gatehouse-data-api",
          namespace: dataApi.namespace,
          pods: labelsOf("postgrest"),
          port: POSTGREST_ADMIN.name,
          number: POSTGREST_ADMIN.containerPort,
        }
      : undefined,
    // A StatefulSet has no exporter.
    postgres?.install?.kind === "cloudnativepg"
      ? {
          name: "gatehouse-postgres",
          namespace: postgres.install.namespace,
          pods: { "cnpg.io/cluster": "postgres" },
          port: CLOUDNATIVEPG_METRICS.name,
          number: CLOUDNATIVEPG_METRICS.containerPort,
        }
      : undefined,
  ];
  return all.filter((target) => target !== undefined);
}
