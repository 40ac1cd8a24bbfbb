/** DNS resolution: whether a host has an address, and one that its domain states. */
import { isIP } from "node:net";
import type { Domain } from "../../../../config/settings.ts";
import { isLoopbackName } from "../../../../infra/loopback.ts";
import { at, listOf, textAt } from "../../../../manifests/resource.ts";
import { otherAddresses } from "../../../clients/dns.ts";
import type { Evidence } from "../evidence.ts";
import { observed } from "../../observation.ts";
import { type Cause, type CauseFinding, causeOf, type ComparedEvidence, type Problem } from "./cause.ts";
import { argument } from "../../../text.ts";

export const dns: Cause = ({ host, domain: kind }, evidence) => {
  const domain = evidence.settings.domains.find((one) => one.kind === kind);
  const observation = evidence.names.get(host);
  const name = observation && observed(observation);
  if (isLoopbackName(host) || !domain || !name) return undefined;
  const problem =
    "code" in name ? noAddress(host, domain, name.code, evidence) : otherAddress(host, domain, name.addresses);
  return causeOf("DNS resolution", problem);
};

function noAddress(host: string, domain: Domain, code: string, evidence: ComparedEvidence): Problem {
  const { kind, targets, baseDomain } = domain;
  const found = (hint: string, ...reasons: string[]): Problem => {
    return { message: `${host} has no address`, evidence: [`the resolver returns ${code}`, ...reasons], hint };
  };
  if (targets.length === 0) {
    const hint = `create a record for ${host} with the gateway's address, or set domains.${kind}.targets`;
    return found(hint, `domains.${kind} has no targets, so the stack creates no records`);
  }
  const objects = observed(evidence.cluster.objects);
  const byHand = `create a record for ${host} to ${targets.join(", ")}`;
  if (objects === undefined || objects.unread.has("DNSEndpoint")) return found(`${byHand}, or check ExternalDNS`);
  if (objects.absent.has("DNSEndpoint")) {
    const reason = "the cluster has no kind DNSEndpoint: ExternalDNS is not installed";
    return found(`install ExternalDNS, or ${byHand}`, reason);
  }
  const record = objects.manifests.find(
    ({ kind, spec }) =>
      kind === "DNSEndpoint" && listOf(at(spec, "endpoints")).some((endpoint) => textAt(endpoint, "dnsName") === host),
  );
  if (record === undefined) {
    const hint = `run npx gatehouse deploy ${argument(evidence.given)} --refresh, which creates it`;
    return found(hint, `no DNSEndpoint contains ${host}`);
  }
  return found(
    `read ExternalDNS's log: it does not read this object, or may not write the zone of ${baseDomain}; or ${byHand}`,
    `DNSEndpoint ${record.objectName} contains ${host} with ${targets.join(", ")}`,
  );
}

/** Returns the problem of a host that has another address than those of its domain. Only where the domain states addresses. */
function otherAddress(host: string, { kind, targets }: Domain, addresses: readonly string[]): Problem | undefined {
  if (targets.length === 0 || targets.some((target) => isIP(target) === 0)) return undefined;
  if (otherAddresses(addresses, targets).length < addresses.length) return undefined;
  return {
    message: `${host} resolves to another address than the gateway's`,
    evidence: [`it resolves to ${addresses.join(", ")}; domains.${kind}.targets states ${targets.join(", ")}`],
    hint: `correct the record of ${host}, or the targets if the gateway moved; a resolver may cache the old record until its TTL expires`,
  };
}

/** Pods resolve `*.localhost` by the stack's key in CoreDNS's configuration, or not at all. */
export function clusterNames({ settings, cluster, given }: Evidence): CauseFinding | undefined {
  const { domains, gateway } = settings;
  const local = domains.find(({ kind, enabled }) => kind === "localhost" && enabled);
  if (!local || !("value" in cluster.rewrite)) return undefined;
  const rewrite = cluster.rewrite.value;
  if (rewrite?.includes(`${gateway.service}.${gateway.namespace}.svc`)) return undefined;
  const has = rewrite === undefined ? "is missing" : "has another target";
  return causeOf("names inside the cluster", {
    message: `pods cannot resolve *.${local.baseDomain}, so applications with their own OAuth client cannot reach the identity provider`,
    evidence: [`key gatehouse.override of ConfigMap kube-system/coredns-custom ${has}`],
    hint: `npx gatehouse deploy ${argument(given)} --refresh restores it`,
  });
}
