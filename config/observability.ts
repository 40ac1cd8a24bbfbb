/** Access to the metrics: schema, rules and settings of `gatehouse:observability`. */
import { z } from "zod";
import { kubernetesLabels, label } from "./fields.ts";
import type { Problem } from "./problems.ts";
import { within } from "./location.ts";
import { type Drafts, problem } from "./rules.ts";
import type { Draft } from "./shapes.ts";

export const observability = z.strictObject({
  namespace: label().describe(
    "Namespace of an existing Prometheus with its operator. It can read the metrics; its objects are created there.",
  ),
  labels: kubernetesLabels()
    .default({})
    .describe("Labels by which that Prometheus selects PodMonitors and PrometheusRules, e.g. `{ release: NAME }`."),
  dashboard: z
    .boolean()
    .default(true)
    .describe("Creates a dashboard, as a ConfigMap that Grafana's sidecar finds by the label `grafana_dashboard`."),
});

export type ObservabilityInput = z.output<typeof observability>;

/** The Prometheus that reads the metrics, and the labels by which it selects objects. */
export interface Observability {
  /** Where Prometheus runs, and the objects for it go. */
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly dashboard: boolean;
}

/** Undefined when any of it is wrong. */
export function toObservability(draft: Draft<ObservabilityInput> | undefined): Observability | undefined {
  return draft?.value;
}

/** The metrics of Postgres are read once. */
export function observabilityRules({ observability: section, postgres }: Drafts): Problem[] {
  if (section === undefined || postgres?.fields.install?.monitoring === undefined) return [];
  const message = "gatehouse:observability already configures monitoring";
  return [problem(within(postgres.location, "install", "monitoring"), message, "remove it")];
}

/** Warns of missing alerts. */
export function observabilityWarnings({ observability: section, verification }: Drafts): string[] {
  if (section === undefined || verification?.fields.pushgateway !== undefined) return [];
  return [
    "observability: there are no alerts for failed checks, expiring certificates and late data. " +
      "Set pushgateway in gatehouse:verification.",
  ];
}
