/** The access of a deployed stack as its state contains it. Pure. */
import { gunzipSync, gzipSync } from "node:zlib";
import { accessOf } from "./access.ts";
import type { AccessFacts } from "./facts.ts";

/** Types of the components whose outputs are an {@link AccessRecord}. */
export const DEPLOYED_ACCESS = "gatehouse:access:DeployedAccess";
export const PLANNED_ACCESS = "gatehouse:access:PlannedAccess";
/** Version of {@link AccessRecord}; increased when a name or a value of the facts gets another meaning. */
const VERSION = 3;

/** Contains no secret. */
export interface AccessRecord {
  readonly version: number;
  /** The facts as JSON, compressed with gzip, in base64: hosts repeat most of their facts. */
  readonly facts: string;
}

export function recordOf(access: AccessFacts): AccessRecord {
  const entries = Object.entries(access).map(([section, facts]) => [section, [...facts]] as const);
  const json = JSON.stringify(Object.fromEntries(entries));
  return { version: VERSION, facts: gzipSync(json, { level: 9 }).toString("base64") };
}

/** Returns the facts as JSON. */
export function jsonOf({ facts }: Pick<AccessRecord, "facts">): string {
  return gunzipSync(Buffer.from(facts, "base64")).toString();
}

/**
 * Returns the recorded facts. Fields that were undefined are missing. Those of an older version cannot be compared: they are none, so that
 * everything reads as new and no change is hidden.
 * @throws Error for a record of a newer version
 */
export function accessIn({ version, facts }: AccessRecord): AccessFacts {
  if (version < VERSION) return accessOf(undefined);
  if (version > VERSION) {
    throw new Error(
      `the state records its access in version ${version}, and this program reads version ${VERSION}; ` +
        "deploy with the version of Gatehouse that deployed last, or a newer one",
    );
  }
  const sections = Object.entries(JSON.parse(jsonOf({ facts })) as Record<string, [string, object][]>);
  return { ...accessOf(undefined), ...Object.fromEntries(sections.map(([name, entries]) => [name, new Map(entries)])) };
}
