/** DNS: the names of the hosts, and ExternalDNS where the stack creates records. */
import { isIP } from "node:net";
import { AppsV1Api, type V1Deployment } from "@kubernetes/client-node";
import pLimit from "p-limit";
import { isTailnet } from "../../../config/schema/dnsName.ts";
import type { Domain } from "../../../config/settings.ts";
import { isLoopbackName } from "../../../infra/loopback.ts";
import { optionsOf } from "../../../infra/prerequisites/staticOptions.ts";
import { resolve } from "../../clients/dns.ts";
import { observeName } from "../diagnose/evidence/dns.ts";
import { type Check, failed, passed, skip } from "../check.ts";
import { observed } from "../observation.ts";
import { checkName } from "../verify/dns.ts";
import type { Inputs, ReachedCluster } from "./inputs.ts";
import { ifAllowed, prerequisiteChecks } from "./prerequisite.ts";
import { firstOf } from "../../text.ts";

const MAX_CONCURRENT_NAMES = 16;
const MAX_LISTED = 5;

/** Checks the names, one check for each enabled domain. @param observe the resolver; tests pass their own */
export async function names(
  { target: { settings, plan } }: Pick<Inputs, "target">,
  observe = observeName,
): Promise<Check[]> {
  const limit = pLimit(MAX_CONCURRENT_NAMES);
  const domains = settings.domains.filter(({ enabled }) => enabled);
  return Promise.all(
    domains.map(async (domain) => {
      const hosts = [...new Set(plan.exposures.filter((one) => one.domain === domain.kind).map(({ host }) => host))];
      const missing = await missingTargets(domain, observe);
      if (missing.length > 0) {
        const name = `names of domain ${domain.kind}`;
        const detail = `domains.${domain.kind}.targets: ${missing.join(", ")} does not resolve`;
        return failed(name, detail, `create a record of that name, or correct domains.${domain.kind}.targets`);
      }
      const results = hosts
        .filter((host) => !isLoopbackName(host))
        .map((host) => limit(() => nameOf(host, domain, observe)));
      return describe(domain, hosts.length, await Promise.all(results));
    }),
  );
}

async function missingTargets({ targets }: Domain, observe: typeof observeName): Promise<string[]> {
  const found = await Promise.all(
    targets.map(async (target) => {
      const { value } = isIP(target) ? { value: undefined } : { value: observed(await observe(target)) };
      return value && "code" in value ? [target] : [];
    }),
  );
  return found.flat();
}

interface Name {
  readonly host: string;
  readonly state: "right" | "wrong" | "missing" | "unknown";
  readonly detail: string;
}

async function nameOf(host: string, domain: Domain, observe: typeof observeName): Promise<Name> {
  const found = await observe(host);
  if ("unavailable" in found) return { host, state: "unknown", detail: found.unavailable };
  if ("code" in found.value) return { host, state: "missing", detail: found.value.code };
  const { addresses } = found.value;
  const resolveName = (name: string) => (name === host ? Promise.resolve(addresses) : resolve(name));
  const { ok, detail } = await checkName(host, domain, resolveName);
  return { host, state: ok ? "right" : "wrong", detail };
}

function describe({ kind, targets, baseDomain }: Domain, count: number, found: readonly Name[]): Check {
  const name = `names of domain ${kind}`;
  const { wrong = [], missing = [], unknown = [] } = Object.groupBy(found, ({ state }) => state);
  if (found.length === 0)
    return passed(name, count === 0 ? "the plan has no host on it" : `${count} hosts on this machine`);
  if (wrong.length > 0) {
    const problems = wrong.map(({ host, detail }) => `${host}: ${detail}`);
    const hint =
      "delete the old records, which ExternalDNS does not change if it did not create them; or correct " +
      `domains.${kind}.targets`;
    return failed(
      name,
      [`domains.${kind}.targets: other addresses`, ...firstOf(problems, MAX_LISTED)].join("\n"),
      hint,
    );
  }
  if (missing.length > 0 && targets.length === 0) {
    const problem = `domains.${kind}: ${missing.length} of ${count} names do not resolve:`;
    const record = `create a record *.${baseDomain} with the gateway's address, or set domains.${kind}.targets for ExternalDNS`;
    const hint = isTailnet(baseDomain) ? "add a node of the tailnet for each name, see docs/tailnet.md" : record;
    const hosts = missing.map(({ host }) => host);
    return failed(name, [problem, ...firstOf(hosts, MAX_LISTED)].join("\n"), hint);
  }
  const [first] = unknown;
  if (first) return skip(name, first.detail, "check the resolver of this machine");
  if (missing.length > 0) {
    const reason = `${missing.length} of ${count} names do not exist yet`;
    return skip(name, reason, `ExternalDNS creates them after the deployment, with ${targets.join(", ")}`);
  }
  const addresses = [...new Set(found.map(({ detail }) => detail))].slice(0, MAX_LISTED);
  return passed(name, `${count} resolve to ${addresses.join("; ")}`);
}

/** Checks that an ExternalDNS reads the records of the stack. */
export async function externalDns(inputs: Inputs, reached: ReachedCluster): Promise<Check[]> {
  const { domains } = inputs.target.settings;
  const recorded = domains.filter(({ enabled, targets }) => enabled && targets.length > 0);
  if (recorded.length === 0) return [];
  const name = "ExternalDNS";
  const hint = "check that ExternalDNS has --source=crd";
  const check = ifAllowed(name, "the user may not list Deployments", hint, async () => {
    const { items } = await reached.config.makeApiClient(AppsV1Api).listDeploymentForAllNamespaces();
    const found = items.filter((one) => containerOf(one) !== undefined);
    return externalDnsOf(name, found, recorded);
  });
  return [...prerequisiteChecks(inputs, reached, "DNS"), await check];
}

function externalDnsOf(name: string, deployments: readonly V1Deployment[], domains: readonly Domain[]): Check {
  if (deployments.length === 0) {
    const hint =
      "install it with --source=crd (https://kubernetes-sigs.github.io/external-dns, CRD source), or remove targets and create the records by hand";
    return failed(name, "no Deployment in the cluster runs ExternalDNS", hint);
  }
  const readers = deployments.filter((one) => optionsOf(argsOf(one)).get("source")?.split(",").includes("crd"));
  const namesOf = (list: readonly V1Deployment[]) =>
    list.map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`).join(", ");
  if (readers.length === 0) {
    return failed(name, `${namesOf(deployments)} does not read DNSEndpoints`, "add the argument --source=crd to it");
  }
  const ignored = domains.filter(({ baseDomain }) => !readers.some((one) => manages(one, baseDomain)));
  if (ignored.length > 0) {
    const zones = ignored.map(({ baseDomain }) => baseDomain).join(", ");
    return failed(name, `${namesOf(readers)} does not manage ${zones}`, `add ${zones} to its --domain-filter`);
  }
  return passed(name, `${namesOf(readers)} reads DNSEndpoints`);
}

function containerOf({ spec }: V1Deployment) {
  return spec?.template.spec?.containers.find(({ image = "" }) => /(^|\/)external-dns[:@]/.test(image));
}

function argsOf(deployment: V1Deployment): readonly string[] {
  return containerOf(deployment)?.args ?? [];
}

/** Returns whether ExternalDNS manages a domain: without a filter, it manages every zone of its provider. */
function manages(deployment: V1Deployment, domain: string): boolean {
  const filters = optionsOf(argsOf(deployment)).get("domain-filter")?.split(",") ?? [];
  return (
    filters.length === 0 || filters.some((zone) => domain === zone || domain.endsWith(`.${zone.replace(/^\./, "")}`))
  );
}
