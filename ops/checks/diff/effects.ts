/** What a statement means: how dangerous it is, where it holds, whom it reaches, and whether another one says it already. Pure. */
import type { Access, HostFacts } from "../../../infra/access/facts.ts";
import type { Change, Statement } from "./diff.ts";
import { dataEffect } from "./dataEffects.ts";
import { hostEffect } from "./hostEffects.ts";
import { isImplied, indexStatements } from "./implied.ts";
import { reachOf } from "./reach.ts";

/** Opens something to everyone; adds access; neither; removes access. */
export type Effect = "public" | "more" | "other" | "less";

/** The effects, most dangerous first. */
export const RANKS: readonly Effect[] = ["public", "more", "other", "less"];

export interface Judgement {
  readonly effect: Effect;
  /** A URL for what is about a host, else the name of the thing. */
  readonly where: string;
  /** Follows from another statement, so it is not printed. */
  readonly implied: boolean;
  /** Of a host: the users and machines of the configuration that gain or lose access. Of a user or machine: the URLs. */
  readonly reach: Reach;
}

export interface Reach {
  readonly gained: readonly string[];
  readonly lost: readonly string[];
}

/** Gives each statement its meaning, in the order they have. */
export function judge(statements: readonly Statement[], before: Access, after: Access): Change[] {
  const judged = statements.map((statement) => {
    const reach = reachOf(statement, before, after);
    return {
      ...statement,
      effect: effectOf(statement, before, after, reach),
      where: whereOf(statement, before, after),
      reach,
    };
  });
  const index = indexStatements(judged, after);
  const beside = Map.groupBy(judged, ({ about, id }) => `${about} ${id}`);
  return judged.map((statement) => ({
    ...statement,
    implied: isImplied(statement, beside.get(`${statement.about} ${statement.id}`) ?? [], index, after),
  }));
}

function effectOf(statement: Statement, before: Access, after: Access, reach: Reach): Effect {
  switch (statement.about) {
    case "host":
      return hostEffect(statement, before.host.get(statement.id), after.host.get(statement.id));
    case "client":
      return clientEffect(statement);
    case "member":
      return memberEffect(statement, reach);
    case "group":
      return statement.change === "removed" ? "less" : "other";
    case "login":
    case "domain":
    case "role":
    case "setting":
      return "other";
    default:
      return dataEffect(statement);
  }
}

type About<S extends Statement["about"]> = Extract<Statement, { readonly about: S }>;

function clientEffect(statement: About<"client">): Effect {
  if (statement.change !== "changed") return statement.change === "removed" ? "less" : "other";
  switch (statement.field) {
    case "redirectUris":
    case "scopes":
      return setEffect(statement.before, statement.after);
    case "groups":
      if (statement.before.length === 0) return "less";
      return statement.after.length === 0 ? "more" : setEffect(statement.before, statement.after);
    case "clientType":
      return statement.after === "public" ? "more" : "less";
    case "accessTokenValidity":
    case "refreshTokenValidity":
      return durationEffect(statement.before, statement.after);
    default:
      return "other";
  }
}

function memberEffect(statement: About<"member">, { gained, lost }: Reach): Effect {
  if (statement.change === "removed") return "less";
  if (gained.length > 0 || statement.change === "added") return "more";
  return lost.length > 0 ? "less" : "other";
}

/** Something more is more access, whatever else is less. */
export function setEffect(before: readonly string[], after: readonly string[]): Effect {
  return after.some((item) => !before.includes(item)) ? "more" : "less";
}

/** The longer, the more access; durations in authentik's spelling. */
export function durationEffect(before: string | undefined, after: string | undefined): Effect {
  const [old, now] = [seconds(before), seconds(after)];
  if (old === undefined || now === undefined || old === now) return "other";
  return now > old ? "more" : "less";
}

const SECONDS: Readonly<Record<string, number>> = {
  ...{ microseconds: 1e-6, milliseconds: 1e-3, seconds: 1, minutes: 60 },
  ...{ hours: 3600, days: 86_400, weeks: 604_800 },
};

/** `hours=1;minutes=30` in seconds. */
function seconds(duration: string | undefined): number | undefined {
  const parts = duration?.split(";").map((part) => part.trim().split("="));
  return parts?.reduce((sum, [unit = "", count]) => sum + (SECONDS[unit] ?? NaN) * Number(count), 0);
}

function whereOf({ about, id }: Statement, before: Access, after: Access): string {
  const facts: HostFacts | undefined = about === "host" ? (after.host.get(id) ?? before.host.get(id)) : undefined;
  if (facts !== undefined) return facts.url;
  if (about === "grant" || about === "default") {
    const grant = after[about].get(id) ?? before[about].get(id);
    return grant?.schema === undefined ? "the database" : `schema ${grant.schema}`;
  }
  return NAMES[about] === "" ? id : `${NAMES[about]} ${id}`;
}

const NAMES: Readonly<Record<Statement["about"], string>> = {
  ...{ host: "", client: "OAuth client", member: "", login: "service", group: "group", domain: "records of" },
  ...{ schema: "schema", grant: "", default: "", role: "", limit: "limit", setting: "" },
};
