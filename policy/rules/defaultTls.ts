import { manifestsOf } from "../../manifests/resource.ts";
import type { Rule } from "../rule.ts";

/** Traefik uses a TLSOption and a TLSStore of this name for all hosts (v3.7, pkg/provider/kubernetes/crd, `buildTLSOptions` and `buildTLSStores`). */
const DEFAULT = "default";

/** Not those in the namespace of Traefik, where its Helm chart creates them: they are the operator's. */
export const defaultTls: Rule = {
  name: "default-tls-unchanged",
  description: "No resource changes the TLS settings or the certificate of all hosts.",
  scope: "resource",
  check: (resources, { gatewayNamespace }) =>
    manifestsOf(resources)
      .filter(({ kind, objectName }) => ["TLSOption", "TLSStore"].includes(kind) && objectName === DEFAULT)
      .filter(({ namespace }) => namespace !== gatewayNamespace)
      .map(({ kind, label }) => ({
        rule: defaultTls.name,
        subject: label,
        message: `is the ${kind} of all hosts`,
        hint: "move it to the namespace of Traefik if it is meant for all hosts, or give it another name",
      })),
};
