import { lookup } from "node:dns/promises";
import type { Observation, NameAnswer } from "../evidence.ts";
import { observe } from "../observation.ts";

/** Asks the system's resolver for a host; that there is no such name is a value, too. */
export function observeName(host: string): Promise<Observation<NameAnswer>> {
  return observe(`the name ${host}`, async () => {
    try {
      const found = await lookup(host, { all: true });
      return { addresses: found.map(({ address }) => address) };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOTFOUND" || code === "ENODATA" || code === "EAI_NONAME") return { code };
      throw error;
    }
  });
}
