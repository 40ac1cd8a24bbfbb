/** Statements about the data API. Pure. */
import { type Limit, limitKey, LIMITS } from "../../../config/sections/dataApi/limits.ts";
import type { DefaultFacts, GrantFacts, SchemaFacts } from "../../../infra/access/facts.ts";
import { type Effect, EFFECTS, type Entry, fieldsOnly, IMPLIED, type Table, value } from "./entry.ts";
import { type Difference, difference, differenceText, mark } from "./phrases.ts";

type SchemaAccess = SchemaFacts["access"];

const IS: Readonly<Record<SchemaAccess, string>> = {
  exposed: "can be read by everyone over the data API",
  private: "is private: only its owner can read it",
  hidden: "is hidden: only views can read it for the data API",
  internal: "is internal to Gatehouse",
};
const WAS: Readonly<Record<SchemaAccess, string>> = {
  exposed: "was open to everyone",
  private: "was private",
  hidden: "was hidden",
  internal: "was internal to Gatehouse",
};

const schema: Table["schema"] = {
  where: (name) => `schema ${name}`,
  added: {
    sentence: (_, { access }) => `is new, and ${IS[access]}`,
    effect: (_, { access }) => (access === "exposed" ? "public" : "other"),
  },
  removed: {
    sentence: ({ access }) => `is no longer ${access === "exposed" ? "served" : "managed"}; it ${WAS[access]}`,
    // Without a data API, the stack manages no schema.
    effect: ({ access }, _, { all }) =>
      all.after.setting.has("database") || access === "exposed" ? schemaEffect(access, undefined) : "other",
  },
  fields: {
    access: { sentence: (before, after) => `${IS[after]}; it ${WAS[before]}`, effect: schemaEffect },
    owner: value("belongs to"),
    deprecation: {
      sentence: (_, after) => (after === undefined ? "is no longer deprecated" : `is deprecated, ${mark(after)}`),
    },
  },
};

function schemaEffect(before: SchemaAccess, after: SchemaAccess | undefined): Effect {
  if (after === "exposed") return "public";
  if (before === "exposed") return "less";
  // Views can read what is not private.
  const [was, is] = [before === "private", after === "private"];
  return was === is ? "other" : was ? "more" : "less";
}

/** Whose privileges all clients of the API have. */
const PUBLIC_ROLES = ["anonymous role", "every role"];

/** @param every which objects of a kind it is about */
function grants(every: string) {
  const privileges: Entry<Granted, Granted> = {
    sentence: (before, after, { id }) => {
      const { role, kind, owner } = cell(id);
      const who = role === "every role" ? role : role.endsWith(" role") ? `the ${role}` : mark(role);
      const of = owner === undefined || owner.endsWith(" role") ? "" : ` of ${mark(owner)}`;
      const on = kind === "database" || kind === "schema" ? "" : ` on ${every} ${kind}${of}`;
      return `${who} ${differenceText(granted(before, after), "may", "may no longer", `${on}, and `)}${on}`;
    },
    effect: (before, after, { id }) => {
      const { added, removed } = granted(before, after);
      if (added.length > 0) return PUBLIC_ROLES.includes(cell(id).role) ? "public" : "more";
      return removed.length > 0 ? "less" : "other";
    },
    // Follows from a statement about the schema, or about the data API as a whole.
    implied: (_, __, { id, effect }, diff) => {
      const { schema, role } = cell(id);
      // A writer is no role of the data API, so nothing else names it.
      if (effect === "more" && !role.endsWith(" role")) return false;
      const isNewOrRemoved = diff.before.setting.has("database") !== diff.after.setting.has("database");
      if (effect === "other" || schema === undefined) return effect === "other" || isNewOrRemoved;
      return diff
        .about("schema")
        .some(
          (one) =>
            (one.id === schema || isNewOrRemoved) &&
            (one.field ?? "access") === "access" &&
            EFFECTS.indexOf(one.effect) <= EFFECTS.indexOf(effect),
        );
    },
  };
  return {
    where: (_: string, { schema }: GrantFacts) => (schema === undefined ? "the database" : `schema ${schema}`),
    added: privileges,
    removed: privileges,
    // The other fields are part of the name.
    fields: { privileges, role: IMPLIED, schema: IMPLIED, kind: IMPLIED, owner: IMPLIED },
  };
}

/** All facts of a grant, or its privileges alone. */
type Granted = GrantFacts | readonly string[] | undefined;

function granted(before: Granted, after: Granted): Difference {
  const list = (side: Granted = []) => ("privileges" in side ? side.privileges : side);
  return difference(list(before), list(after));
}

/** Returns the cell of the matrix of grants that a statement is about. */
function cell(id: string): Pick<GrantFacts, "role" | "schema" | "kind"> & Partial<Pick<DefaultFacts, "owner">> {
  return JSON.parse(id) as DefaultFacts;
}

/** Those that the catalog publishes; the others decide what the server does, not what a client may request. */
const published = (id: string): Limit["published"] => (LIMITS as Readonly<Record<string, Limit>>)[id]?.published;

const limit: Table["limit"] = {
  ...fieldsOnly("limit ", {
    value: {
      sentence: (before, after, { id }) =>
        value("is", (one: number) => mark(`${one}${published(id)?.unit ?? ""}`)).sentence(before, after),
      effect: (before, after, { id }) =>
        published(id)?.higher !== "more" ? "other" : after > before ? "more" : "less",
    },
  }),
  // As in the stack file.
  where: (name) => `limit ${limitKey(name)}`,
};

const later: Table["default"] = grants("every later");
const role: Table["role"] = fieldsOnly("", { name: value("is named") });

export const DATA = { schema, grant: grants("each"), default: later, role, limit };
