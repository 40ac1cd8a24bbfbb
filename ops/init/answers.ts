import { newKindName } from "../../config/sections/domains/domainKinds.ts";

export interface Answers {
  /** Name of the stack: the part between `Pulumi.` and `.yaml`. */
  readonly stack: string;
  readonly context: string;
  /** Base domains; `localhost` is one of them. At least one. */
  readonly domains: readonly string[];
  /** URL of an existing authentik; undefined if the stack deploys one. */
  readonly authentik: string | undefined;
  readonly dataApi: boolean;
}

/** Returns the name of a stack from that of a context, in the characters that Pulumi accepts. */
export function stackOf(context: string): string {
  return context.replace(/[^A-Za-z0-9_.-]+/g, "-").replace(/^-+|-+$/g, "") || "stack";
}

export interface DomainAnswer {
  readonly kind: string;
  readonly domain: string;
}

/** Returns the kind of each domain: localhost, mesh for a tailnet, external for the first other one, and a custom kind for each further one. */
export function domainKinds(domains: readonly string[]): DomainAnswer[] {
  const kinds = new Map<string, string>();
  for (const domain of new Set(domains)) kinds.set(newKindName(domain, kinds, "external"), domain);
  return Array.from(kinds, ([kind, domain]) => ({ kind, domain }));
}
