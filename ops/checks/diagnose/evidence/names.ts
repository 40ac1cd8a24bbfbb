import { resolve } from "../../../clients/names.ts";
import type { NameAnswer } from "../evidence.ts";
import { type Observation, observe } from "../observation.ts";

/** Asks the system's resolver for a host; that there is no such name is a value, too. */
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
