/** The stack file, or the part of one, that an import writes. */
import { Document, type YAMLMap, type YAMLSeq } from "yaml";
import { stackOf } from "../context/stackFiles.ts";
import { type Import, DEFAULT_DOMAINS, kindFields } from "./import.ts";
import type { ImportedEntry } from "./entries.ts";

/**
 * Returns YAML with a comment at each entry: its origin, what changes, and how to fill its variables.
 * @param file name of the existing stack file; undefined if there is none
 * @param hasDomains whether that file has the section `gatehouse:domains`
 */
export function documentOf(
  imported: Import,
  { context, file, hasDomains }: { context: string; file: string | undefined; hasDomains: boolean },
): string {
  const { entries, kinds } = imported;
  const added = Object.fromEntries(kinds.map((kind) => [kind.kind, kindFields(kind)]));
  const domains = file !== undefined && !hasDomains && kinds.length > 0 ? { ...DEFAULT_DOMAINS, ...added } : added;
  const document = new Document({
    config: {
      ...(file === undefined ? { "kubernetes:context": context } : {}),
      ...(kinds.length > 0 ? { "gatehouse:domains": domains } : {}),
      "gatehouse:protected_services": entries.map(({ fields }) => fields),
    },
  });
  const next =
    file === undefined
      ? "Save it as Pulumi.<stack>.yaml and add gatehouse:identity_provider"
      : `Add its sections to ${file}`;
  const plan = `npx gatehouse plan ${file === undefined ? "<stack>" : stackOf(file)}`;
  document.commentBefore = ` Written by npx gatehouse import ${context}. ${next}. Then run: ${plan}`;
  const list = document.getIn(["config", "gatehouse:protected_services"]) as YAMLSeq<YAMLMap>;
  for (const [index, entry] of entries.entries()) {
    const item = list.items[index];
    if (item)
      item.commentBefore = commentOf(entry, imported)
        .map((line) => ` ${line}`)
        .join("\n");
    if (item && index > 0) item.spaceBefore = true;
  }
  return document.toString({ lineWidth: 0 });
}

function commentOf({ hosts, variables }: ImportedEntry, { differences }: Import): string[] {
  const routes = [...new Set(hosts.flatMap((host) => host.routes.map(({ manifest }) => manifest.label)))];
  const application = hosts[0]?.protection.application?.slug;
  const from = [...routes, ...(application === undefined ? [] : [`application "${application}" of authentik`])];
  return [
    `From ${from.join(", ")}.`,
    ...hosts.flatMap(({ host }) => (differences.get(host) ?? []).map((one) => `${host}: ${one}.`)),
    ...[...variables].map(([name, hint]) => `\${${name}}: ${hint}.`),
  ].map((line) => line.replaceAll(/\s+/g, " "));
}
