/** The Traefik that the cluster runs. */
import { z } from "zod";
import type { Draft } from "../schema/draft.ts";
import { kubernetesLabels, label, version } from "../schema/fields.ts";
import type { Resolved } from "../schema/resolve.ts";
import type { Section } from "./section.ts";

const schema = z.strictObject({
  version: version("Traefik", "3.7.13")
    .optional()
    .describe("Version of the Traefik that the cluster runs; it is checked against known advisories."),
  namespace: label().default("kube-system").describe("Namespace of Traefik."),
  service: label().default("traefik").describe("Name of Traefik's Kubernetes Service."),
  pod_labels: kubernetesLabels()
    .refine((labels) => Object.keys(labels).length > 0, {
      message: "at least one label; without labels, NetworkPolicies would admit every pod of the namespace",
    })
    .default({ "app.kubernetes.io/name": "traefik" })
    .describe(
      "Labels of Traefik's pods: NetworkPolicies admit pods with these labels only. The default fits the Helm chart and k3s.",
    ),
  http_entry_point: label().default("web").describe("Name of Traefik's entry point for HTTP."),
  https_entry_point: label().default("websecure").describe("Name of Traefik's entry point for HTTPS."),
});

export const gateway = {
  schema,
  description: "The Traefik that the cluster runs.",
  example: `
gatehouse:gateway: { version: 3.7.13, namespace: kube-system, service: traefik }
`,
  text: `
Gatehouse does not install Traefik. It refuses versions with known vulnerabilities ([versions](versions.md)), and compares the running Traefik with these fields before a
deployment ([prerequisites](prerequisites.md)).
`,
} satisfies Section;

export type GatewayDraft = Draft<z.output<typeof schema>>;
export type TraefikGateway = Resolved<z.output<typeof schema>>;
