/**
 * A stand-in for the Pulumi plugin `postgresql`, which bridges the Terraform provider cyrilgdn/postgresql: the same tokens, ids, defaults,
 * replacements and statements for what it covers. It expects a superuser, and refuses what it does not cover.
 */
import pg from "pg";

import { asText, check, compare, complete, inputsFound, planned, sealed } from "../bridge.ts";
import type { Plugin, Values } from "../protocol/plugin.ts";
import { database, schema } from "./containers.ts";
import { defaultPrivileges, grant } from "./grants.ts";
import { role } from "./role.ts";
import { Server } from "./server.ts";
import type { Kind, Sql } from "./server.ts";

const KINDS: Readonly<Record<string, Kind>> = {
  "postgresql:index/role:Role": role,
  "postgresql:index/database:Database": database,
  "postgresql:index/schema:Schema": schema,
  "postgresql:index/grant:Grant": grant,
  "postgresql:index/defaultPrivileges:DefaultPrivileges": defaultPrivileges,
};

export function postgresql(): Plugin {
  let server = new Server({});

  /** Works in the database that holds the object. */
  async function inside<T>(kind: Kind, values: Values, doing: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    const holder = "database" in kind.fields && values.database ? asText(values.database) : server.database;
    try {
      return await (kind.bare || doing === "read" ? server.session(holder, work) : server.transaction(holder, work));
    } catch (error) {
      throw explained(doing, error);
    }
  }

  /** Reads it back: the state is what the server holds, with what only the program knows. */
  async function stateOf(kind: Kind, known: Values): Promise<Values | undefined> {
    const completed = complete(kind.fields, known);
    const found = await inside(kind, known, "read", (sql) => kind.read(sql, completed));
    return found && { ...completed, ...found };
  }

  return {
    name: "postgresql",
    version: "3.18.1",
    configure: (config) => Promise.resolve(void (server = new Server(config))),
    check: (type, olds, news, urn) => Promise.resolve(check(kindOf(type).fields, olds, news, urn)),
    diff: (type, _id, _oldInputs, state, news) => {
      const { fields, deleteBeforeReplace } = kindOf(type);
      return Promise.resolve(compare(fields, state, news, deleteBeforeReplace));
    },

    async create(type, inputs, { preview }) {
      const kind = kindOf(type);
      if (preview) return { id: "", state: planned(kind.fields, inputs, undefined) };
      const values = located(kind, inputs, server);
      await inside(kind, values, "create", (sql) => kind.create(sql, complete(kind.fields, values)));
      const state = await stateOf(kind, values);
      if (!state) throw new Error(`${kind.id(values)} was created and is not there any more; run the update again`);
      return { id: kind.id(state), state: sealed(kind.fields, state) };
    },

    async read(type, id, inputs, state) {
      const kind = kindOf(type);
      const known = state ?? kind.parse?.(id);
      if (!known) throw new Error(`${type} cannot be imported; create it, over what is there`);
      const found = await stateOf(kind, located(kind, known, server)).catch(whenGone);
      if (!found) return undefined;
      const given = state ? inputs : undefined;
      return { id: kind.id(found), inputs: inputsFound(kind.fields, given, found), state: sealed(kind.fields, found) };
    },

    async update(type, _id, oldState, news, { preview }) {
      const kind = kindOf(type);
      if (preview) return planned(kind.fields, news, oldState);
      const old = complete(kind.fields, oldState);
      const values = located(kind, news, server);
      await inside(kind, values, "update", (sql) => kind.update(sql, old, complete(kind.fields, values)));
      const state = await stateOf(kind, values);
      if (!state) throw new Error(`${kind.id(values)} is gone; run the update again with --refresh`);
      return sealed(kind.fields, state);
    },

    async delete(type, _id, state) {
      const kind = kindOf(type);
      await inside(kind, state, "delete", (sql) => kind.delete(sql, state)).catch(whenGone);
    },
  };
}

function kindOf(type: string): Kind {
  const kind = KINDS[type];
  if (!kind) throw new Error(`the stand-in for the postgresql plugin does not know the type ${type}`);
  return kind;
}

/** The database that the provider is connected to holds what names none. */
function located(kind: Kind, values: Values, server: Server): Values {
  return kind.fields.database?.computed && !values.database ? { ...values, database: server.database } : values;
}

function explained(doing: string, error: unknown): Error {
  if (!(error instanceof pg.DatabaseError)) return error instanceof Error ? error : new Error(String(error));
  const told = [error.message, error.detail, error.hint].filter(Boolean).join("; ");
  return new Error(`could not ${doing} it in PostgreSQL: ${told}`, { cause: error });
}

/** An object is gone with the database, schema or role that it belonged to. */
function whenGone(error: unknown): undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  const gone = ["3D000", "3F000", "42704"]; // invalid_catalog_name, invalid_schema_name, undefined_object
  if (!(cause instanceof pg.DatabaseError) || !gone.includes(cause.code ?? "")) throw error;
}
