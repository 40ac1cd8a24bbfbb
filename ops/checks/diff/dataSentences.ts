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
        : "changes with the data API";
    default:
      return grantSentence(change);
  }
}

const ACCESS = {
  exposed: "can be read by everyone over the data API",
  private: "is private: only its owner can read it",
  internal: "is internal to Gatehouse",
};

function schemaSentence(change: Extract<DataStatement, { readonly about: "schema" }>): string {
  if (change.change === "added") return `is new, and ${ACCESS[change.after.access]}`;
  if (change.change === "removed") return `is no longer served; it ${WAS[change.before.access]}`;
  switch (change.field) {
    case "access":
      return `${ACCESS[change.after]}; it ${WAS[change.before]}`;
    case "owner":
      return `belongs to ${moved(change.before, change.after)}`;
    case "deprecation":
      return change.after === undefined ? "is no longer deprecated" : `is deprecated, ${mark(change.after)}`;
  }
}

const WAS = { exposed: "was open to everyone", private: "was private", internal: "was internal to Gatehouse" };

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
