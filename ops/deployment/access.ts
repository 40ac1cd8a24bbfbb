import { accessOf } from "../../infra/access/access.ts";
import type { Plan } from "../../infra/plan/types.ts";
import { compareAccess, sentenceOf } from "../checks/diff/diff.ts";
import type { Change } from "../checks/diff/entry.ts";
import { describeChanges } from "../checks/diff/report.ts";
import type { Paint } from "../terminal/paint.ts";
import type { StackState } from "../engine/state/stackState.ts";

export interface AccessChanges {
  /** Compared with the last complete deployment, then with those that did not complete. */
  readonly changes: readonly Change[];
  readonly opening: number;
  readonly report: (paint: Paint) => string;
}

/** Compares the access of deployments. @param before access in the state before */
export function accessChanges(
  { access = accessOf(undefined), incomplete }: Pick<StackState, "access" | "incomplete">,
  after: Plan,
): AccessChanges {
  const now = accessOf(after);
  const changes = compareAccess(access, now);
  const others = incomplete.flatMap((planned) => compareAccess(planned, now)).filter(({ implied }) => !implied);
  const byStatement = new Map(others.map((change) => [statementOf(change), change]));
  for (const change of changes) byStatement.delete(statementOf(change));
  const undone = [...byStatement.values()];
  const all = [...changes, ...undone];
  const opening = all.filter(({ effect, implied }) => effect === "public" && !implied).length;
  const report = (paint: Paint): string => {
    const since = incomplete.length === 0 ? "" : " since the last complete deployment";
    const text = changes.length === 0 ? `Access: no changes${since}` : `Access\n${describeChanges(changes, paint)}`;
    return [text, ...incompleteText(incomplete.length, undone, paint)].join("\n\n");
  };
  return { changes: all, opening, report };
}

/** @param undone what the failed deployments have changed and this one does not keep */
function incompleteText(count: number, undone: readonly Change[], paint: Paint): string[] {
  if (count === 0) return [];
  const [what, whose, which] = count === 1 ? ["A deployment", "its", "it"] : [`${count} deployments`, "their", "them"];
  const text = `${what} did not complete, and ${whose} changes can be in effect.`;
  return [undone.length === 0 ? text : `${text} Compared with ${which}:\n${describeChanges(undone, paint)}`];
}

function statementOf(change: Change): string {
  return JSON.stringify([change.where, sentenceOf(change)]);
}
