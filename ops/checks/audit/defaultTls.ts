import type { GatewayPods } from "../../../infra/network.ts";
import { terminatesTls } from "../../../infra/plan/exposure.ts";
import { type AuditFinding, type Compared, deletion, finding } from "./finding.ts";

export const DEFAULT_TLS = "default-tls-of-the-operator";

/** Effect of one object of a kind, and of several. */
const KINDS = [
  [
    "TLSOption",
    "sets the TLS options of all hosts, such as the minimum version and the authorities of client certificates",
    "uses its built-in TLS options, without client certificates",
  ],
  ["TLSStore", "sets the default certificate of all hosts", "its default certificate is self-signed"],
] as const;

/**
 * Returns findings for objects named `default` that Traefik reads from any namespace for all hosts, and ignores if two namespaces have one (traefik v3.7,
 * pkg/provider/kubernetes/crd, `buildTLSOptions` and `buildTLSStores`). That in the gateway's namespace is the operator's: the Helm chart creates it there,
 * and a user who can write there can change Traefik itself. One in another namespace may be the operator's.
 */
export function defaultTls({ manifests, plan, context }: Compared, gateway: GatewayPods | undefined): AuditFinding[] {
  const hosts = plan.routes.filter(terminatesTls).flatMap(({ rules }) => rules.map(({ host }) => host));
  if (hosts.length === 0) return [];
  return KINDS.flatMap(([kind, effect, fallback]) => {
    const all = manifests.filter((one) => one.kind === kind && one.objectName === "default");
    const namespaces = all.map(({ namespace }) => namespace).join(", ");
    const others = all.filter(({ namespace }) => namespace !== gateway?.namespace);
    return others.map((manifest) => {
      const subject = manifest.label;
      const removal = `remove it (${deletion(manifest, context)})`;
      const move = `move it to the namespace ${gateway?.namespace ?? "of the gateway"}`;
      if (all.length > 1) {
        const message = `is defined in the namespaces ${namespaces}, so Traefik ignores them all, and ${fallback}`;
        return finding({ rule: DEFAULT_TLS, subject, message, hint: removal, hosts });
      }
      const hint = `if it is the operator's, ${move}, or accept it (--accept "${subject}"); otherwise ${removal}`;
      return finding({ severity: "warning", rule: DEFAULT_TLS, subject, message: effect, hint, hosts });
    });
  });
}
