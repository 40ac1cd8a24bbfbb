/** How dangerous a statement about the data API is. Pure. */
import type { Statement } from "./diff.ts";
import type { Effect } from "./effects.ts";

export type DataStatement = Extract<Statement, { readonly about: "schema" | "grant" | "default" | "limit" }>;

/** Whose privileges everyone has who can reach the API. */
const PUBLIC_ROLES = ["anonymous role", "every role"];

export function dataEffect(statement: DataStatement): Effect {
  switch (statement.about) {
    case "schema":
      return schemaEffect(statement);
    case "limit":
      return limitEffect(statement);
    default:
      return grantEffect(statement);
  }
}

function schemaEffect(statement: Extract<Statement, { readonly about: "schema" }>): Effect {
  if (statement.change === "changed" && statement.field !== "access") return "other";
  const [before, after] =
    statement.change === "changed"
      ? [statement.before, statement.after]
      : statement.change === "added"
        ? [undefined, statement.after.access]
        : [statement.before.access, undefined];
  if (after === "exposed") return "public";
  return before === "exposed" ? "less" : "other";
}

function grantEffect(statement: Extract<Statement, { readonly about: "grant" | "default" }>): Effect {
  const isOpen = PUBLIC_ROLES.includes(roleOf(statement));
  const { gained, lost } = privileges(statement);
  if (gained.length > 0) return isOpen ? "public" : "more";
  return lost.length > 0 ? "less" : "other";
}

/** The function of the role in it, which is part of its name. */
export function roleOf({ id }: Statement): string {
  return (JSON.parse(id) as { readonly role: string }).role;
}

export function privileges(statement: Extract<Statement, { readonly about: "grant" | "default" }>): {
  readonly gained: string[];
  readonly lost: string[];
} {
  const [before, after] = [privilegesIn(statement, "before"), privilegesIn(statement, "after")];
  return {
    gained: after.filter((privilege) => !before.includes(privilege)),
    lost: before.filter((privilege) => !after.includes(privilege)),
  };
}

function privilegesIn(
  statement: Extract<Statement, { readonly about: "grant" | "default" }>,
  side: "before" | "after",
): readonly string[] {
  if (statement.change === "changed") return statement.field === "privileges" ? statement[side] : [];
  if (statement.change === "added") return side === "after" ? statement.after.privileges : [];
  return side === "before" ? statement.before.privileges : [];
}

/** More of it, and a client can take more; of the others, neither. */
const GENEROUS = ["maxRows", "statementTimeout", "exactCountRows", "requestsPerSecond", "burst", "inFlight"];

function limitEffect(statement: Extract<Statement, { readonly about: "limit" }>): Effect {
  if (statement.change !== "changed" || !GENEROUS.includes(statement.id)) return "other";
  return statement.after > statement.before ? "more" : "less";
}
