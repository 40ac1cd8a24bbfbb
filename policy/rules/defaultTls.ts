import { manifestsOf } from "../../manifests/resource.ts";
import type { Rule } from "../rule.ts";

/** Traefik uses a TLSOption and a TLSStore of this name for all hosts (v3.7, pkg/provider/kubernetes/crd, `buildTLSOptions` and `buildTLSStores`). */
const DEFAULT = "default";

/** The Helm chart of Traefik creates those of the operator; no program needs one. */
export const defaultTls: Rule = {
  name: "default-tls-unchanged",
  description: "No resource changes the TLS settings or the certificate of all hosts.",
  scope: "resource",
  check: (resources) =>
    manifestsOf(resources)
      .filter(({ kind, objectName }) => ["TLSOption", "TLSStore"].includes(kind) && objectName === DEFAULT)
      .map(({ kind, label }) => ({
        rule: defaultTls.name,
        subject: label,
        message: `is the ${kind} of all hosts`,
        hint: "give it another name, and name it in the route that needs it",
      })),
};
