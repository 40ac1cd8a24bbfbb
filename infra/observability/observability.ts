import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { Observability as ObservabilitySettings, Settings } from "../../config/settings.ts";
import type { Cluster } from "../cluster.ts";
import { namespaced, allowIngressFrom } from "../network.ts";
import type { Plan } from "../plan/types.ts";
import { alertGroups } from "./alerts.ts";
import { dashboard } from "./dashboard.ts";
import { type Target, targets } from "./targets.ts";

const API = "monitoring.coreos.com/v1";

interface ObservabilityArgs {
  readonly observability: ObservabilitySettings;
  readonly settings: Settings;
  readonly plan: Plan;
  readonly cluster: Cluster;
}

/**
 * Monitors, alerts and a dashboard for an existing Prometheus and Grafana. They are in the namespace of Prometheus, which is what its operator
 * selects by default. NetworkPolicies of the monitored pods allow that namespace.
 */
export class Observability extends pulumi.ComponentResource {
  constructor(name: string, args: ObservabilityArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:infra:Observability", name, {}, opts);
    const { observability, settings, plan, cluster } = args;
    const child = { parent: this, provider: cluster.provider };
    const { namespace } = observability;
    // The API server stores no empty labels, and the plugin takes the difference for drift.
    const labels = Object.keys(observability.labels).length > 0 ? observability.labels : undefined;
    const read = targets(settings, plan);
    for (const target of read) this.#readable(`${name}-${target.name}`, target, { namespace, labels }, child);
    new k8s.apiextensions.CustomResource(
      `${name}-alerts`,
      {
        apiVersion: API,
        kind: "PrometheusRule",
        metadata: { name: "gatehouse", namespace, labels },
        spec: { groups: alertGroups(settings, plan, read) },
      },
      child,
    );
    if (observability.dashboard) {
      new k8s.core.v1.ConfigMap(
        `${name}-dashboard`,
        {
          metadata: { name: "gatehouse-dashboard", namespace, labels: { grafana_dashboard: "1" } },
          data: { "gatehouse.json": JSON.stringify(dashboard(settings, plan, read)) },
        },
        child,
      );
    }
    this.registerOutputs({});
  }

  #readable(
    name: string,
    { name: target, namespace, pods, port, number }: Target,
    about: { readonly namespace: string; readonly labels: ObservabilitySettings["labels"] | undefined },
    child: pulumi.CustomResourceOptions,
  ): void {
    new k8s.apiextensions.CustomResource(
      `${name}-monitor`,
      {
        apiVersion: API,
        kind: "PodMonitor",
        metadata: { name: target, ...about },
        spec: {
          namespaceSelector: { matchNames: [namespace] },
          selector: { matchLabels: pods },
          podMetricsEndpoints: [{ port }],
        },
      },
      child,
    );
    if (number === undefined) return;
    // Policies add up: other policies allow the other connections.
    new k8s.networking.v1.NetworkPolicy(
      `${name}-network`,
      { metadata: { name: target, namespace }, spec: allowIngressFrom(pods, number, [namespaced(about.namespace)]) },
      child,
    );
  }
}
