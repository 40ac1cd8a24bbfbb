import { SUPERUSER_FEATURES } from "../../../config/sections/postgres/superuserFeatures.ts";
import type { GrantExpectation } from "./expectation.ts";
import { type GrantFinding, reporter } from "./finding.ts";
import type { DatabaseState } from "./databaseState.ts";
import { quoted } from "./sql.ts";

/** Returns findings for what is not enforced because the administrator is no superuser; with a superuser, the settings that are missing. */
export function* enforcementFindings(live: DatabaseState, expected: GrantExpectation): Iterable<GrantFinding> {
  const { authenticator, anonymous } = expected.roles;
  const settings = live.roles.find(({ name }) => name === authenticator)?.settings ?? [];
  const present = {
    "event trigger": (name: string) => live.eventTriggers.some((trigger) => trigger.name === name),
    setting: (name: string, value = "") => settings.includes(`${name}=${value}`),
    parameter: (name: string) =>
      live.privileges.some((entry) => entry.kind === "parameter" && entry.name === name && entry.grantee === anonymous),
  };
  for (const { kind, name, value, without } of SUPERUSER_FEATURES) {
    if (present[kind](name, value)) continue;
    const set = `ALTER ROLE ${quoted(authenticator)} SET ${name} = '${value}';`;
    if (!expected.superuser) {
      const hint = kind === "setting" ? `as a superuser: ${set}` : "run the migrations as a superuser, or accept it";
      yield reporter(`${kind} ${name}`)("unenforced", `is missing: ${without}`, hint);
    } else if (kind === "setting") {
      // Missing event triggers and parameters are findings of owners.ts and privileges.ts.
      yield reporter(`role ${quoted(authenticator)}`)("exposure", `has no ${name}=${value}: ${without}`, set);
    }
  }
}
