/** Which applications of authentik the entries replace. */
import { applicationsOf } from "../../infra/plan/applications.ts";
import type { Import } from "./import.ts";
import type { TargetStack } from "./target.ts";
import type { Source } from "./source.ts";

export interface ApplicationResult {
  readonly slug: string;
  /** Name of the entry; undefined if no entry replaces it. */
  readonly entry: string | undefined;
  readonly reason: string | undefined;
}

/** Returns one result for each application that the stack does not have. */
export function applicationResults(
  { entries, unmapped }: Import,
  { identity }: Source,
  target: TargetStack,
): ApplicationResult[] {
  if (typeof identity === "string") return [];
  const isRouted = (host: string): boolean => [...unmapped.keys()].some((route) => route.hosts.includes(host));
  const own = new Set(applicationsOf(target.plan).map(({ slug }) => slug));
  const others = identity.applications.filter(({ slug }) => !own.has(slug) && !/^gatehouse(-|$)/.test(slug));
  return others.map(({ pk, slug, provider }) => {
    const entry = entries.find(({ hosts }) => hosts.some(({ protection }) => protection.application?.pk === pk));
    if (entry) return { slug, entry: entry.fields.name, reason: undefined };
    const proxy = identity.proxies.find((one) => one.pk === provider);
    const client = identity.clients.find((one) => one.pk === provider);
    const urls = proxy ? [proxy.external_host] : (client?.redirect_uris.map(({ url }) => url) ?? []);
    const hosts = [...new Set(urls.flatMap((url) => URL.parse(url)?.hostname ?? []))];
    const kept = hosts.filter(isRouted);
    const reason =
      hosts.length === 0
        ? "it has no proxy or OAuth2 provider with a host"
        : kept.length > 0
          ? `the routes of ${kept.join(", ")} are not imported`
          : `no route of the cluster names its host ${hosts.join(", ")}`;
    return { slug, entry: undefined, reason };
  });
}
