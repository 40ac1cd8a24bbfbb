import { isIP } from "node:net";
import type { RecordSet } from "../../../infra/plan/types.ts";
import { otherAddresses, resolve, type Resolve } from "../../clients/dns.ts";
import { type Check, check, Unexpected } from "../check.ts";

/**
 * Checks that a host of a domain resolves, and only to the domain's targets if it has some. Of the addresses of a target that is a name, a name server may
 * return some.
 * @param targets addresses, or names that have them
 * @param complete whether each target that is an address has its record; not before ExternalDNS creates it
 */
export function checkName(
  host: string,
  { targets }: Pick<RecordSet, "targets">,
  lookUp: Resolve = resolve,
  complete = true,
): Promise<Check> {
  return check(`${host} resolves`, async () => {
    const found = await addressesOf(host, lookUp);
    const addresses = async (target: string) => (isIP(target) ? [target] : addressesOf(target, lookUp));
    const planned = (await Promise.all(targets.map(addresses))).flat();
    const missing = complete ? otherAddresses(targets.filter(isIP), found) : [];
    if (targets.length > 0 && [...otherAddresses(found, planned), ...missing].length > 0) {
      throw new Unexpected(`the targets ${planned.join(", ")}`, found.join(", "));
    }
    return found.join(", ");
  });
}

async function addressesOf(name: string, lookUp: Resolve): Promise<readonly string[]> {
  const found = await lookUp(name).catch(({ code = "an error" }: NodeJS.ErrnoException) => {
    throw new Unexpected(`addresses of ${name}`, code === "ENOTFOUND" ? "none: the name does not exist" : code);
  });
  if (found.length === 0) throw new Unexpected(`addresses of ${name}`, "none");
  return found;
}
