import { lookup } from "node:dns/promises";
import type { Observation, NameAnswer } from "../evidence.ts";
import { look } from "../observation.ts";

/** What the system's resolver says of a host; that there is no such name is an answer. */
export function observeName(host: string): Promise<Observation<NameAnswer>> {
  return look(`the name ${host}`, async () => {
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
