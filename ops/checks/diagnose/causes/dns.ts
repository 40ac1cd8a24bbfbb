/** DNS resolution: that a host has an address, and the one that the domain states. */
import { isIP } from "node:net";
import type { Domain } from "../../../../config/settings.ts";
import type { Evidence } from "../evidence.ts";
import { isLoopbackName } from "../../../../infra/loopback.ts";
import { seen } from "../observation.ts";
import type { Cause, Finding } from "./finding.ts";

export const dns: Cause = ({ host, domain: kind }, evidence) => {
  const domain = evidence.settings.domains.find((one) => one.kind === kind);
  const look = evidence.names.get(host);
  const name = look && seen(look);
  if (isLoopbackName(host) || !domain || !name) return undefined;
  const problem =
    "code" in name ? noAddress(host, domain, name.code, evidence) : otherAddress(host, domain, name.addresses);
  return problem && { cause: "DNS resolution", ...problem };
};

type Problem = Pick<Finding, "problem" | "evidence" | "hint">;

function noAddress(host: string, domain: Domain, code: string, evidence: Evidence): Problem {
  const problem = `${host} has no address`;
  const says = `the resolver returns ${code}`;
  if (domain.targets.length === 0) {
    const hint = `create a record for ${host} with the gateway's address, or set domains.${domain.kind}.targets`;
    return {
      problem,
      evidence: [says, `domains.${domain.kind} has no targets, so the stack creates no records`],
      hint,
    };
  }
  const records = seen(evidence.cluster.dns);
  const target = domain.targets.join(", ");
  const byHand = `create a record for ${host} to ${target}`;
  if (records === undefined) return { problem, evidence: [says], hint: `${byHand}, or check ExternalDNS` };
  if (records.endpoints === undefined) {
    const why = "the cluster has no kind DNSEndpoint: ExternalDNS is not installed";
    return { problem, evidence: [says, why], hint: `install ExternalDNS, or ${byHand}` };
  }
  const holding = [...records.endpoints].find(([, hosts]) => hosts.includes(host));
  if (holding === undefined) {
    const why = `no DNSEndpoint of the stack contains ${host}`;
    return { problem, evidence: [says, why], hint: `run ./deploy ${evidence.context} --refresh, which creates it` };
  }
  const why = `DNSEndpoint ${holding[0]} contains ${host} with ${target}`;
  const hint = `read ExternalDNS's log: it does not read this object, or may not write the zone of ${domain.baseDomain}; or ${byHand}`;
  return { problem, evidence: [says, why], hint };
}

/** Where the domain states addresses, one of them has to come. */
function otherAddress(host: string, { kind, targets }: Domain, addresses: readonly string[]): Problem | undefined {
  const stated = targets.filter((target) => isIP(target) > 0);
  if (stated.length === 0 || stated.length < targets.length) return undefined;
  if (addresses.some((address) => stated.includes(address))) return undefined;
  return {
    problem: `${host} resolves to another address than the gateway's`,
    evidence: [`it resolves to ${addresses.join(", ")}; domains.${kind}.targets states ${stated.join(", ")}`],
    hint: `correct the record of ${host}, or the targets if the gateway moved; a resolver may cache the old record until its TTL expires`,
  };
}

/** Pods resolve `*.localhost` by our key in CoreDNS's configuration, or not at all. */
export function clusterNames(evidence: Evidence): Finding | undefined {
  const { domains, gateway } = evidence.settings;
  const local = domains.find(({ kind, enabled }) => kind === "localhost" && enabled);
  const found = seen(evidence.cluster.dns);
  if (!local || !found) return undefined;
  const target = `${gateway.service}.${gateway.namespace}.svc`;
  if (found.rewrite?.includes(target)) return undefined;
  const has = found.rewrite === undefined ? "is missing" : "has another target";
  return {
    cause: "names inside the cluster",
    problem: `pods cannot resolve *.${local.baseDomain}, so applications with their own OAuth client cannot reach the identity provider`,
    evidence: [`key gatehouse.override of ConfigMap kube-system/coredns-custom ${has}`],
    hint: `./deploy ${evidence.context} --refresh restores it`,
  };
}
