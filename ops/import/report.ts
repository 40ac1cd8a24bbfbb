/** What an import could map and what not, for a terminal and for programs. */
import { describeFinding, type Finding } from "../checks/finding.ts";
import type { Paint } from "../terminal/paint.ts";
import { applicationsOf } from "../../infra/plan/applications.ts";
import { argument, counted } from "../text.ts";
import type { Import } from "./import.ts";
import type { TargetStack } from "./target.ts";
import { nameOf, type Source } from "./source.ts";
import { stepsOf } from "./steps.ts";

export type Report = ReturnType<typeof reportOf>;

/** Returns the fields of `--json`. @param context of the cluster, for kubectl @param given its name for commands of Gatehouse */
export function reportOf(imported: Import, source: Source, target: TargetStack, context: string, given: string) {
  const { entries, kinds, mapped, unmapped, differences, plan } = imported;
  const before = new Set(target.plan.exposures.map(({ host }) => host));
  const own = new Set(entries.flatMap(({ hosts }) => hosts.map(({ host }) => host)));
  const others = plan.exposures.map(({ host }) => host).filter((host) => !before.has(host) && !own.has(host));
  return {
    context: given,
    ok: unmapped.size === 0,
    entries: entries.map(({ fields }) => fields),
    domains: kinds,
    mapped: mapped.map(({ manifest, match, hosts }) => ({ object: manifest.label, rule: match, hosts })),
    unmapped: [...unmapped].map(([{ manifest, match, hosts }, reasons]) => {
      return { object: manifest.label, rule: match, hosts, reasons };
    }),
    differences: Object.fromEntries([...differences].filter(([, list]) => list.length > 0)),
    applications: applications(imported, source, target),
    // Those of other entries, because a domain kind is new.
    additionalHosts: others,
    variables: Object.fromEntries(entries.flatMap((entry) => [...entry.variables])),
    ...stepsOf(imported, source, target, context),
  };
}

/** Returns the report as text for a terminal. Sections without lines are left out. */
export function reportText(report: Report, imported: Import, paint: Paint): string {
  const { mapped, unmapped, entries } = report;
  const refused = [...imported.unmapped].map(([route, [first = "", ...evidence]]): Finding => {
    return { severity: "warning", subject: nameOf(route), message: first, evidence, hint: "" };
  });
  const unused = report.applications.flatMap(({ slug, reason }) =>
    reason === undefined ? [] : [`${slug}: ${reason}`],
  );
  const variables = Object.entries(report.variables).map(([name, hint]) => `${name}: ${hint}`);
  const parts: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ["Not imported: these routes stay as they are", refused.flatMap((one) => describeFinding(one, paint))],
    ["Changes for the imported hosts", indented(changeLines(report))],
    ["Applications of authentik without an entry", indented(unused)],
    ["Hosts that the stack exposes in addition", indented(report.additionalHosts)],
    ["Variables to set", indented(variables)],
    ["Before the deployment", numbered(report.before)],
    [
      `After the deployment, when npx gatehouse verify ${argument(report.context)} reports the old routes only`,
      numbered(report.after),
    ],
  ];
  const title = `${counted(mapped.length, "route")} written as ${counted(entries.length, "service")}, ${unmapped.length} not`;
  const rest = parts.flatMap(([part, lines]) => (lines.length > 0 ? ["", part, ...lines] : []));
  return `${[title, ...rest].join("\n")}\n`;
}

/** Returns each difference once, with its hosts. */
function changeLines({ differences }: Report): string[] {
  const all = Object.entries(differences).flatMap(([host, texts]) => texts.map((text) => ({ host, text })));
  return [...Map.groupBy(all, ({ text }) => text)].map(([text, of]) => {
    return `${of.map(({ host }) => host).join(", ")}: ${text}`;
  });
}

/** Returns the applications of authentik that the stack does not have, each with the entry that replaces it, or the reason why none does. */
function applications({ entries, unmapped }: Import, { identity }: Source, { plan }: TargetStack) {
  if (typeof identity === "string") return [];
  const own = new Set(applicationsOf(plan).map(({ slug }) => slug));
  const others = identity.applications.filter(({ slug }) => !own.has(slug) && !/^gatehouse(-|$)/.test(slug));
  return others.map(({ pk, slug, provider }) => {
    const entry = entries.find(({ hosts }) => hosts.some(({ protection }) => protection.application?.pk === pk));
    if (entry) return { slug, entry: entry.fields.name, reason: undefined };
    const proxy = identity.proxies.find((one) => one.pk === provider);
    const client = identity.clients.find((one) => one.pk === provider);
    const urls = proxy ? [proxy.external_host] : (client?.redirect_uris.map(({ url }) => url) ?? []);
    const hosts = [...new Set(urls.flatMap((url) => URL.parse(url)?.hostname ?? []))];
    const kept = hosts.filter((host) => [...unmapped.keys()].some((route) => route.hosts.includes(host)));
    return { slug, entry: undefined, reason: whyUnused(hosts, kept) };
  });
}

function whyUnused(hosts: readonly string[], kept: readonly string[]): string {
  if (hosts.length === 0) return "it has no proxy or OAuth2 provider with a host";
  if (kept.length > 0) return `the routes of ${kept.join(", ")} are not imported`;
  return `no route of the cluster names its host ${hosts.join(", ")}`;
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

function numbered(steps: readonly string[]): string[] {
  return steps.map((step, index) => `  ${index + 1}. ${step.replaceAll("\n", "\n     ")}`);
}
