/** Statements in words. Names are set off by marks, which each output turns into its own. Pure. */
import type { Change } from "./diff.ts";
import { dataSentence } from "./dataSentences.ts";
import { hostSentence } from "./hostSentences.ts";
import { listOf, mark, moved, names } from "./phrases.ts";

/** What a change says, without where. */
export function sentenceOf(change: Change): string {
  switch (change.about) {
    case "host":
      return hostSentence(change);
    case "client":
      return clientSentence(change);
    case "member":
      return memberSentence(change);
    case "login":
      return change.change === "changed" ? `its username is ${moved(change.before, change.after)}` : "its username";
    case "group":
      return groupSentence(change);
    case "domain":
      return domainSentence(change);
    case "role":
      return change.change === "changed"
        ? `is named ${mark(change.after)} instead of ${mark(change.before)}`
        : "its name";
    case "setting":
      return change.change === "changed" ? `is ${mark(change.after)} instead of ${mark(change.before)}` : "its value";
    default:
      return dataSentence(change);
  }
}

type About<S extends Change["about"]> = Extract<Change, { readonly about: S }>;

function clientSentence(change: About<"client">): string {
  if (change.change === "removed")
    return `can no longer sign users in; it redirected to ${names(change.before.redirectUris)}`;
  if (change.change === "added") {
    const { redirectUris, scopes } = change.after;
    const more = scopes.length > 0 ? `, and may ask for ${names(scopes)}` : "";
    return `can sign users in; it redirects to ${names(redirectUris)}${more}`;
  }
  switch (change.field) {
    case "redirectUris":
      return listOf(change, "sign-ins may redirect to", "sign-ins may no longer redirect to");
    case "scopes":
      return listOf(change, "may ask for the scopes", "may no longer ask for the scopes");
    case "groups":
      return groupsText(change.before, change.after);
    case "clientType":
      return change.after === "public" ? "no longer needs a secret" : "needs its secret";
    case "accessTokenValidity":
      return `its access tokens are valid for ${moved(change.before, change.after)}`;
    case "refreshTokenValidity":
      return `its refresh tokens are valid for ${moved(change.before, change.after)}`;
    case "subjectMode":
      return `identifies users by ${moved(change.before, change.after)}`;
    case "slug":
      return `its issuer is that of the application ${moved(change.before, change.after)}`;
    case "secret":
      return `its credentials are in the Secret ${moved(change.before, change.after)}`;
    case "launchUrl":
      return `the portal routes to ${moved(change.before, change.after)}`;
    case "name":
      return `is called ${moved(change.before, change.after)}`;
  }
}

function groupsText(before: readonly string[], after: readonly string[]): string {
  const who = (groups: readonly string[]) => (groups.length === 0 ? "everyone who can sign in" : names(groups));
  return `lets in ${who(after)} instead of ${who(before)}`;
}

function memberSentence(change: About<"member">): string {
  const { gained, lost } = change.reach;
  const reach = [
    ...(gained.length > 0 ? [`gets into ${names(gained)}`] : []),
    ...(lost.length > 0 ? [`no longer gets into ${names(lost)}`] : []),
  ];
  const so = reach.length > 0 ? `: ${reach.join(", ")}` : "";
  if (change.change === "added") {
    const { kind, groups } = change.after;
    return `is a new ${kind}${groups.length > 0 ? ` in ${names(groups)}` : ""}${so}`;
  }
  if (change.change === "removed") return `is no longer a ${change.before.kind}${so}`;
  if (change.field === "kind") return `is a ${change.after} instead of a ${change.before}`;
  return `${listOf({ before: change.before, after: change.after }, "joins", "leaves")}${so}`;
}

function groupSentence(change: About<"group">): string {
  const created = change.change === "changed" ? change.after : change.change === "added" && change.after.created;
  if (change.change === "removed") {
    return change.before.created ? "is deleted, with its memberships" : "is no longer used";
  }
  return created ? "is created by the stack" : "is not created by the stack and must exist";
}

function domainSentence(change: About<"domain">): string {
  if (change.change !== "changed") return "change with their hosts";
  if (change.field === "owner") return `belong to ${moved(change.before, change.after)}`;
  const what = change.field === "targets" ? "point at" : "name";
  return listOf({ before: change.before, after: change.after }, what, `no longer ${what}`);
}
