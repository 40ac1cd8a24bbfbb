/** Whether names resolve to what the plan says. */
import { promises as dns } from "node:dns";
import { isIP, isIPv4 } from "node:net";
import { lookup } from "../../../infra/loopback.ts";
import type { RecordSet } from "../../../infra/plan/types.ts";
import { type Check, check, Unexpected } from "./check.ts";

/** The addresses of a name. @throws Error when there are none */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** As the HTTP client of the probes does. */
export const resolve: Resolve = (name) =>
  new Promise((found, failed) => {
    lookup(name, { all: true }, (error, addresses) => {
      if (error) failed(error);
      else found([addresses].flat().map((address) => (typeof address === "string" ? address : address.address)));
    });
  });

/**
 * A host of a domain resolves: to the domain's targets where it has some.
 * @param targets addresses, or names that have them
 */
export function checkName(
  host: string,
  { targets }: Pick<RecordSet, "targets">,
  ask: Resolve = resolve,
): Promise<Check> {
  return check(`${host} resolves`, async () => {
    const found = await answered(host, ask);
    if (targets.length === 0) return found.join(", ");
    const addresses = (target: string): Promise<readonly string[]> =>
      isIP(target) ? Promise.resolve([target]) : answered(target, ask);
    const meant = (await Promise.all(targets.map(addresses))).flat();
    const strange = found.filter((address) => !meant.some((target) => same(target, address)));
    if (strange.length > 0) throw new Unexpected(`the targets ${meant.join(", ")}`, found.join(", "));
    return found.join(", ");
  });
}

async function answered(name: string, ask: Resolve): Promise<readonly string[]> {
  try {
    const found = await ask(name);
    if (found.length > 0) return found;
  } catch (error) {
    const { code = "an error" } = error as { code?: string };
    throw new Unexpected(`addresses of ${name}`, code === dns.NOTFOUND ? "none: the name does not exist" : code);
  }
  throw new Unexpected(`addresses of ${name}`, "none");
}

/** An IPv6 address has several spellings. */
function same(one: string, other: string): boolean {
  return isIPv4(one) || isIPv4(other) ? one === other : spelled(one) === spelled(other);
}

function spelled(address: string): string {
  return new URL(`http://[${address}]/`).hostname;
}
