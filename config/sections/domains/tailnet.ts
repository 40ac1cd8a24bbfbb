/**
 * Rules of private networks without wildcard names: in a tailnet each name is a node, and no name resolves below a
 * node (tailscale #1196, #7081).
 */
import type { HostLabel } from "../../../infra/plan/hosts.ts";
import { isTailnet } from "../../schema/dnsName.ts";
import { within } from "../../errors/location.ts";
import { type Problem, problem } from "../../errors/problems.ts";
import type { Domain, DomainDraft } from "./domains.ts";

/** Checks that the base domain of a tailnet is the tailnet itself, and that it has no targets: the network creates its records. */
export function tailnetRules(settings: readonly Domain[], domains: readonly DomainDraft[]): Problem[] {
  return settings.flatMap(({ enabled, baseDomain, targets }, index) => {
    const draft = domains[index];
    if (!enabled || draft === undefined || !isTailnet(baseDomain)) return [];
    const found: Problem[] = [];
    if (baseDomain.split(".").length !== 3) {
      const message = `"${baseDomain}" is not a tailnet, and names below a node do not resolve`;
      found.push(
        problem(
          within(draft.location, "base_domain"),
          message,
          "set <tailnet>.ts.net, and add one node for each service to the tailnet",
        ),
      );
    }
    if (targets.length > 0) {
      const message = "a tailnet does not support DNS records";
      found.push(
        problem(
          within(draft.location, "targets"),
          message,
          "remove targets, and add one node for each service to the tailnet",
        ),
      );
    }
    return found;
  });
}

/** Warns of the nodes that a tailnet needs, one per label. */
export function tailnetWarnings(domains: readonly Domain[], labels: readonly HostLabel[]): string[] {
  return domains
    .filter(({ enabled, baseDomain }) => enabled && isTailnet(baseDomain))
    .flatMap(({ kind, baseDomain }) => {
      const names = labels.filter(({ kinds }) => kinds.includes(kind)).map(({ label }) => label);
      return names.length === 0
        ? []
        : [`domains.${kind}: ${baseDomain} has no wildcard names. Add a node for each of: ${names.join(", ")}`];
    });
}
