import { accessOf } from "../../../infra/access/access.ts";
import type { Access } from "../../../infra/access/facts.ts";
import type { Plan } from "../../../infra/plan/types.ts";
import { compareAccess } from "../../checks/diff/diff.ts";
import type { Change } from "../../checks/diff/entry.ts";
import { describeChanges } from "../../checks/diff/report.ts";
import type { Paint } from "../../terminal/paint.ts";

/** The access diff of a deployment. */
export interface AccessChanges {
  readonly changes: readonly Change[];
  /** Number of changes that open something to the public. */
  readonly opening: number;
  readonly page: (paint: Paint) => string;
}

/** Compares the access of two deployments. @param before access in the state of the last deployment; undefined = none */
export function accessChanges(before: Access | undefined, after: Plan): AccessChanges {
  const changes = compareAccess(before ?? accessOf(undefined), accessOf(after));
  const opening = changes.filter(({ effect, implied }) => effect === "public" && !implied).length;
  const page = (paint: Paint): string =>
    changes.length === 0 ? "Access: no changes" : `Access\n${describeChanges(changes, paint)}`;
  return { changes, opening, page };
}
