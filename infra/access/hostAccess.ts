/** Which requests a host admits, by its facts. Pure. */
import { protectionOf } from "../../protections/table.ts";
import type { HostFacts } from "./facts.ts";
import { strips } from "./rules.ts";

/** Returns whether a host is open to everyone. The sign-in page does not count. */
export function isOpen({ role, protection }: HostFacts): boolean {
  return protection.type === "open" && role !== "identity-provider";
}

/** Returns whether the gateway authenticates requests, instead of the application. */
export function authenticatesAtGateway({ protection }: HostFacts): boolean {
  return protection.authentication !== "none";
}

/** Returns whether a host is open for every request. The stack's own open hosts admit reads of some paths only (infra/plan/routes.ts). */
export function opensAll(facts: HostFacts): boolean {
  return isOpen(facts) && facts.role === "service";
}

export function hasOpening(facts: HostFacts): boolean {
  return isOpen(facts) || (authenticatesAtGateway(facts) && facts.publicPaths.length > 0);
}

/** Returns whether a client could send forged identity headers. */
export function isForgeable({ rules }: HostFacts): boolean {
  return rules.some((rule) => !strips(rule));
}

/** Returns the strength of the authentication. An application's own login is weaker than the gateway's. */
export function strength({ protection: { type, authentication } }: HostFacts): number {
  return protectionOf(type).strength(authentication);
}
