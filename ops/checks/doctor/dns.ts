/** DNS: the names of the hosts, and ExternalDNS where the stack creates records. */
import { isIP } from "node:net";
import { AppsV1Api, type V1Deployment } from "@kubernetes/client-node";
import pLimit from "p-limit";
import { isTailnet } from "../../../config/schema/dnsName.ts";
import type { Domain } from "../../../config/settings.ts";
import { endpointsMetadata } from "../../../infra/gateway/endpoints.ts";
import { labelTexts, matchesLabels } from "../../../infra/labels.ts";
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

type RecordMetadata = ReturnType<typeof endpointsMetadata>;

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
  const { ok, detail } = await checkName(host, domain, resolveName, false);
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
  const { settings, plan } = inputs.target;
  const recorded = settings.domains.filter(({ enabled, targets }) => enabled && targets.length > 0);
  const records = plan.records.find(({ targets }) => targets.length > 0);
  if (records === undefined) return [];
  const name = "ExternalDNS";
  const hint = "check that ExternalDNS has --source=crd";
  const check = ifAllowed(name, "the user may not list Deployments", hint, async () => {
    const { items } = await reached.config.makeApiClient(AppsV1Api).listDeploymentForAllNamespaces();
    const found = items.filter((one) => containerOf(one) !== undefined);
    return externalDnsOf(name, found, recorded, endpointsMetadata(records));
  });
  return [...prerequisiteChecks(inputs, reached, "DNS"), await check];
}

/** @param records metadata of the DNSEndpoints of the stack */
function externalDnsOf(
  name: string,
  deployments: readonly V1Deployment[],
  domains: readonly Domain[],
  records: RecordMetadata,
): Check {
  if (deployments.length === 0) {
    const hint =
      "install it with --source=crd (https://kubernetes-sigs.github.io/external-dns, CRD source), or remove targets and create the records by hand";
    return failed(name, "no Deployment in the cluster runs ExternalDNS", hint);
  }
  const withSource = deployments.filter((one) => optionsOf(argsOf(one)).get("source")?.split(",").includes("crd"));
  const namesOf = (list: readonly V1Deployment[]) => list.map(fullName).join(", ");
  if (withSource.length === 0) {
    return failed(name, `${namesOf(deployments)} does not read DNSEndpoints`, "add the argument --source=crd to it");
  }
  const readers = withSource.filter((one) => obstacle(one, records) === undefined);
  if (readers.length === 0) {
    const obstacles = withSource.flatMap((one) => obstacle(one, records) ?? []);
    const uncertain = obstacles.find((one) => one.uncertain);
    if (uncertain) return skip(name, uncertain.problem, uncertain.hint);
    return failed(name, obstacles.map(({ problem }) => problem).join("\n"), obstacles[0]?.hint ?? "");
  }
  const ignored = domains.filter(({ baseDomain }) => !readers.some((one) => manages(one, baseDomain)));
  if (ignored.length > 0) {
    const zones = ignored.map(({ baseDomain }) => baseDomain).join(", ");
    return failed(name, `${namesOf(readers)} does not manage ${zones}`, `add ${zones} to its --domain-filter`);
  }
  return passed(name, `${namesOf(readers)} reads DNSEndpoints`);
}

interface Obstacle {
  readonly problem: string;
  readonly hint: string;
  /** Whether the filter may select the records: its form cannot be evaluated here. */
  readonly uncertain?: boolean;
}

/** Returns why an ExternalDNS with the source crd does not read the records of the stack; undefined if it does (its `source/crd.go`). */
function obstacle(deployment: V1Deployment, { namespace, labels }: RecordMetadata): Obstacle | undefined {
  const name = fullName(deployment);
  const options = optionsOf(argsOf(deployment));
  if (deployment.spec?.replicas === 0) return { problem: `${name} has no replicas`, hint: "scale it to one replica" };
  const only = options.get("namespace");
  if (only && only !== namespace) {
    const problem = `${name} reads only DNSEndpoints in namespace ${only}, and those of the stack are in ${namespace}`;
    return { problem, hint: "remove the argument --namespace" };
  }
  for (const [what, own, shown] of [
    ["label", labels, labelTexts(labels).join(",")],
    ["annotation", {}, "objects without annotations"],
  ] as const) {
    const filter = options.get(`${what}-filter`);
    const selected = filter ? selects(filter, own) : true;
    if (selected === true) continue;
    const problem = `${name} reads only DNSEndpoints with the ${what}s ${filter}`;
    const hint = `remove the argument --${what}-filter, or let it select ${shown}`;
    return { problem, hint, uncertain: selected === undefined };
  }
  return undefined;
}

/** Returns whether a selector of the form `name=value,name=value` selects labels; undefined for one of another form. */
function selects(selector: string, labels: Readonly<Record<string, string>>): boolean | undefined {
  const pairs = selector.split(",");
  if (!pairs.every((pair) => /^[\w./-]+==?[\w.-]*$/.test(pair))) return undefined;
  return matchesLabels(Object.fromEntries(pairs.map((pair) => pair.split(/==?/) as [string, string])), labels);
}

function fullName({ metadata }: V1Deployment): string {
  return `${metadata?.namespace}/${metadata?.name}`;
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
