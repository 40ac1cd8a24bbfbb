/** Access to the metrics, for an existing Prometheus. */
import { z } from "zod";
import type { Draft } from "../schema/draft.ts";
import { kubernetesLabels, label } from "../schema/fields.ts";
import { within } from "../errors/location.ts";
import { type Problem, problem } from "../errors/problems.ts";
import type { Resolved } from "../schema/resolve.ts";
import type { Section } from "./section.ts";
import type { PostgresDraft } from "./postgres/postgres.ts";
import type { VerificationDraft } from "./verification.ts";

const schema = z.strictObject({
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

export const observability = {
  schema,
  description: "Metrics, alerts and a dashboard, for an existing Prometheus.",
  example: `
gatehouse:observability: { namespace: monitoring, labels: { release: prometheus } }
`,
  text: `
Without the section, no metrics are read and no alerts exist. See [metrics and logs](observability.md) and [alerts](operations/alerts.md).
`,
} satisfies Section;

export type ObservabilityDraft = Draft<z.output<typeof schema>>;
export type Observability = Resolved<z.output<typeof schema>>;

interface Drafts {
  readonly observability: ObservabilityDraft | undefined;
  readonly postgres: PostgresDraft | undefined;
  readonly verification: VerificationDraft | undefined;
}

/** Checks that the metrics of Postgres are read once. */
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
