import type { Plan } from "../../infra/plan/types.ts";
import { accessDiff, type Change } from "../diff/diff.ts";
import { describeChanges } from "../diff/report.ts";
import type { Paint } from "../paint.ts";

/** Who and what gains or loses access by a deployment. */
export interface AccessChanges {
  readonly changes: readonly Change[];
  /** How many open something to the public. */
  readonly opening: number;
  readonly page: (paint: Paint) => string;
}

/** @param before of the last deployment, as its state holds it; undefined = there was none */
export function accessChanges(before: Plan | undefined, after: Plan): AccessChanges {
  // A state holds no field that is undefined.
  const changes = accessDiff(before, JSON.parse(JSON.stringify(after)) as Plan);
  const opening = changes.filter(({ effect, implied }) => effect === "public" && !implied).length;
  const page = (paint: Paint): string =>
    changes.length === 0 ? "Access: nobody gains or loses any" : `Access\n${describeChanges(changes, paint)}`;
  return { changes, opening, page };
}
