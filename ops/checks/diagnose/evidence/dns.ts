import { resolve } from "../../../clients/dns.ts";
import type { NameAnswer } from "../evidence.ts";
import { type Observation, observe } from "../../observation.ts";

/** Resolves a host with the system's resolver. That a name does not exist is an observed value, too. */
export function observeName(host: string): Promise<Observation<NameAnswer>> {
  return observe(`the name ${host}`, async () => {
    try {
      return { addresses: await resolve(host) };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOTFOUND" || code === "ENODATA" || code === "EAI_NONAME") return { code };
      throw error;
    }
  });
}
