import type { Exposure } from "../../../../infra/plan/types.ts";
import type { Evidence, OutpostRecord } from "../evidence.ts";
import { seen } from "../observation.ts";

/** The outpost that answers forward auth for an exposure; undefined without forward auth, or where the records were not seen. */
export function outpostOf({ outpost }: Exposure, { identity }: Evidence): OutpostRecord | undefined {
  if (outpost === undefined) return undefined;
  return seen(identity)?.outposts.find(({ name }) => name === outpost);
}
