/** What an import could map and what not, for a terminal and for programs. */
import { describeFinding, type Finding } from "../checks/finding.ts";
import type { Paint } from "../terminal/paint.ts";
import { type ApplicationResult, applicationResults } from "./applicationReport.ts";
import type { Import } from "./import.ts";
import type { TargetStack } from "./target.ts";
import { nameOf, type Source } from "./source.ts";
import { stepsOf } from "./steps.ts";

export interface Report {
  readonly context: string;
  /** Whether every route is mapped. */
  readonly ok: boolean;
  readonly entries: readonly object[];
  readonly domains: readonly object[];
  readonly mapped: readonly { readonly object: string; readonly rule: string; readonly hosts: readonly string[] }[];
  readonly unmapped: readonly {
    readonly object: string;
    readonly rule: string;
    readonly hosts: readonly string[];
    readonly reasons: readonly string[];
  }[];
  readonly differences: Readonly<Record<string, readonly string[]>>;
  readonly applications: readonly ApplicationResult[];
  /** Hosts that the stack exposes in addition, because a domain kind is new. */
  readonly additionalHosts: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export function reportOf(imported: Import, source: Source, target: TargetStack, context: string): Report {
  const { entries, kinds, mapped, unmapped, differences, plan } = imported;
  const before = new Set(target.plan.exposures.map(({ host }) => host));
  const own = new Set(entries.flatMap(({ hosts }) => hosts.map(({ host }) => host)));
  const others = plan.exposures.map(({ host }) => host).filter((host) => !before.has(host) && !own.has(host));
  return {
    context,
    ok: unmapped.size === 0,
    entries: entries.map(({ fields }) => fields),
    domains: kinds,
    mapped: mapped.map(({ manifest, match, hosts }) => ({ object: manifest.label, rule: match, hosts })),
    unmapped: [...unmapped].map(([{ manifest, match, hosts }, reasons]) => {
      return { object: manifest.label, rule: match, hosts, reasons };
    }),
    differences: Object.fromEntries([...differences].filter(([, list]) => list.length > 0)),
    applications: applicationResults(imported, source, target),
    additionalHosts: others,
    variables: Object.fromEntries(entries.flatMap((entry) => [...entry.variables])),
    ...stepsOf(imported, source, target, context),
  };
}

/** Returns the report as text. */
export function reportText(report: Report, imported: Import, paint: Paint): string {
  const lines: string[] = [];
  const part = (title: string, items: readonly string[]): void => {
    if (items.length > 0) lines.push("", title, ...items);
  };
  const count = (number: number, one: string) => `${number} ${number === 1 ? one : `${one}s`}`;
  const { mapped, unmapped, entries } = report;
  lines.push(`${count(mapped.length, "route")} written as ${count(entries.length, "service")}, ${unmapped.length} not`);
  const refused = [...imported.unmapped].map(([route, [first = "", ...evidence]]): Finding => {
    return { severity: "warning", subject: nameOf(route), message: first, evidence, hint: "" };
  });
  part(
    "Not imported: these routes stay as they are",
    refused.flatMap((one) => describeFinding(one, paint)),
  );
  part("Changes for the imported hosts", changeLines(report));
  part("Applications of authentik without an entry", applicationLines(report));
  part(
    "Hosts that the stack exposes in addition",
    report.additionalHosts.map((host) => `  ${host}`),
  );
  part(
    "Variables to set",
    Object.entries(report.variables).map(([name, hint]) => `  ${name}: ${hint}`),
  );
  part("Before the deployment", numbered(report.before));
  part(`After the deployment, when npx gatehouse verify ${report.context} has passed`, numbered(report.after));
  return `${lines.join("\n")}\n`;
}

/** Each difference once, with its hosts. */
function changeLines({ differences }: Report): string[] {
  const all = Object.entries(differences).flatMap(([host, texts]) => texts.map((text) => ({ host, text })));
  return [...Map.groupBy(all, ({ text }) => text)].map(([text, of]) => {
    return `  ${of.map(({ host }) => host).join(", ")}: ${text}`;
  });
}

function applicationLines({ applications }: Report): string[] {
  return applications.flatMap(({ slug, reason }) => (reason === undefined ? [] : [`  ${slug}: ${reason}`]));
}

function numbered(steps: readonly string[]): string[] {
  return steps.map((step, index) => `  ${index + 1}. ${step.replaceAll("\n", "\n     ")}`);
}
