/** Statements about the data API in words. Pure. */
import { type DataStatement, privileges, roleOf } from "./dataEffects.ts";
import { mark, moved, names } from "./phrases.ts";

export function dataSentence(change: DataStatement): string {
  switch (change.about) {
    case "schema":
      return schemaSentence(change);
    case "limit":
      return change.change === "changed"
        ? `is ${moved(String(change.before), String(change.after))}`
        : "comes and goes with the data API";
    default:
      return grantSentence(change);
  }
}

const ACCESS = {
  exposed: "can be read by everyone over the data API",
  private: "is private: nobody but its owner reads it",
  internal: "is for Gatehouse itself",
};

function schemaSentence(change: Extract<DataStatement, { readonly about: "schema" }>): string {
  if (change.change === "added") return `is new, and ${ACCESS[change.after.access]}`;
  if (change.change === "removed") return `is not served any more; it ${WAS[change.before.access]}`;
  switch (change.field) {
    case "access":
      return `${ACCESS[change.after]}; it ${WAS[change.before]}`;
    case "owner":
      return `belongs to ${moved(change.before, change.after)}`;
    case "deprecation":
      return change.after === undefined ? "stays: its end is called off" : `will go away, ${mark(change.after)}`;
  }
}

const WAS = { exposed: "was open to everyone", private: "was private", internal: "was for Gatehouse itself" };

function grantSentence(change: Extract<DataStatement, { readonly about: "grant" | "default" }>): string {
  const { kind } = JSON.parse(change.id) as { readonly kind: string };
  const { gained, lost } = privileges(change);
  const role = roleOf(change);
  const who = role.endsWith(" role") && role !== "every role" ? `the ${role}` : mark(role);
  const what = kind === "database" ? "" : change.about === "default" ? ` on every later ${kind}` : ` on each ${kind}`;
  const parts = [
    ...(gained.length > 0 ? [`may ${names(gained)}${what}`] : []),
    ...(lost.length > 0 ? [`may no longer ${names(lost)}${what}`] : []),
  ];
  return `${role === "every role" ? "every role" : who} ${parts.join(", and ")}`;
}
