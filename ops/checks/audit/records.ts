import { endpointsName, endpointsOf } from "../../../infra/gateway/endpoints.ts";
import type { RecordSet } from "../../../infra/plan/types.ts";
import { differences } from "../../../manifests/differences.ts";
import { plainHost } from "../../../manifests/matcher.ts";
import { at, listOf, type Manifest, textAt } from "../../../manifests/resource.ts";
import { type AuditFinding, type Compared, deletion, finding, restore } from "./finding.ts";

const RULE = "records-as-planned";

/** Returns findings for domain records of the plan that are missing or changed, and unmanaged ones for hosts of the plan. */
export function changedRecords(compared: Compared): AuditFinding[] {
  const { manifests, plan } = compared;
  const all = manifests.filter(({ kind }) => kind === "DNSEndpoint");
  const planned = new Map<string, RecordSet>(
    plan.records
      .filter(({ targets }) => targets.length > 0)
      .map((records) => [`DNSEndpoint default/${endpointsName(records)}`, records]),
  );
  const own = [...planned].flatMap(([subject, records]): AuditFinding[] => {
    const found = all.find(({ label }) => label === subject);
    const { hosts } = records;
    const about = { rule: RULE, subject, hint: restore([], compared, found), hosts };
    if (found === undefined) return [finding({ ...about, message: "is missing" })];
    const evidence = differences({ endpoints: endpointsOf(records) }, found.spec);
    return evidence.length === 0 ? [] : [finding({ ...about, message: "was changed", evidence })];
  });
  const others = all.filter(({ label }) => !planned.has(label));
  return [...own, ...others.flatMap((manifest) => unmanagedRecords(manifest, compared))];
}

function unmanagedRecords(manifest: Manifest, { plan, context }: Compared): AuditFinding[] {
  const planned = new Set(plan.exposures.map(({ host }) => host));
  return listOf(manifest.spec["endpoints"]).flatMap((endpoint) => {
    const host = plainHost(textAt(endpoint, "dnsName") ?? "");
    if (!planned.has(host)) return [];
    const targets = listOf(at(endpoint, "targets")).join(", ");
    return [
      finding({
        rule: RULE,
        subject: manifest.label,
        hosts: [host],
        message: `sends ${host} to ${targets}, in addition to the planned record`,
        hint: `remove it (${deletion(manifest, context)})`,
      }),
    ];
  });
}
