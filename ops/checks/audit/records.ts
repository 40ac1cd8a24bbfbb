import { endpointsName, endpointsOf } from "../../../infra/gateway/endpoints.ts";
import type { Plan } from "../../../infra/plan/types.ts";
import { differences } from "../../../policy/differences.ts";
import { plainHost } from "../../../policy/matcher.ts";
import { at, type Finding, listOf, type Manifest, textAt } from "../../../policy/resource.ts";

const RULE = "records-as-planned";

/** Domain records of the plan that are missing or changed, and those of others for hosts of the plan. */
export function changedRecords(manifests: readonly Manifest[], plan: Plan): Finding[] {
  const all = manifests.filter(({ kind }) => kind === "DNSEndpoint");
  const planned = new Map<string, ReturnType<typeof endpointsOf>>(
    plan.records
      .filter(({ targets }) => targets.length > 0)
      .map((records) => [`DNSEndpoint default/${endpointsName(records)}`, endpointsOf(records)] as const),
  );
  const own = [...planned].flatMap(([label, endpoints]): Finding[] => {
    const found = all.find((manifest) => manifest.label === label);
    const problems = found
      ? differences({ endpoints }, found.spec).map((text) => `was changed: ${text}`)
      : ["is missing"];
    return problems.map((problem) => ({
      rule: RULE,
      object: label,
      problem,
      hint: "deploy the stack again (./deploy CONTEXT --refresh)",
    }));
  });
  const foreign = all
    .filter(({ label }) => !planned.has(label))
    .flatMap((manifest) => unmanagedRecords(manifest, plan));
  return [...own, ...foreign];
}

function unmanagedRecords({ label, spec, namespace, objectName = "" }: Manifest, plan: Plan): Finding[] {
  const hosts = new Set(plan.exposures.map(({ host }) => host));
  return listOf(spec["endpoints"]).flatMap((endpoint) => {
    const host = plainHost(textAt(endpoint, "dnsName") ?? "");
    if (!hosts.has(host)) return [];
    return [
      {
        rule: RULE,
        object: label,
        problem: `sends ${host} to ${listOf(at(endpoint, "targets")).join(", ")}, in addition to the planned record`,
        hint: `remove it (kubectl delete dnsendpoint ${objectName} --namespace ${namespace})`,
      },
    ];
  });
}
