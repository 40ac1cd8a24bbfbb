/**
 * Emulates the Pulumi plugin `postgresql`, which bridges the Terraform provider cyrilgdn/postgresql: the same tokens, ids, defaults,
 * replacements and statements for what it covers. It refuses what it does not cover.
 */
import pg from "pg";

import { asText, check, compare, complete, inputsFound, planned, markSecrets } from "../bridge.ts";
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

/** Returns an emulator of the Pulumi plugin `postgresql`. */
export function postgresql(): Plugin {
  let server = new Server({});

  /** Runs `work` in the database of the object. */
  async function inside<T>(kind: Kind, values: Values, doing: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    const holder = "database" in kind.fields && values.database ? asText(values.database) : server.database;
    try {
      return await (kind.bare || doing === "read" ? server.session(holder, work) : server.transaction(holder, work));
    } catch (error) {
      throw explained(doing, error);
    }
  }

  /** Returns the state in the server, with the values that only the program has. */
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
      if (!state) throw new Error(`${kind.id(values)} was created, and does not exist any more. Run the update again.`);
      return { id: kind.id(state), state: markSecrets(kind.fields, state) };
    },

    async read(type, id, inputs, state) {
      const kind = kindOf(type);
      const known = state ?? kind.parse?.(id);
      if (!known) throw new Error(`${type} cannot be imported. Create it: an existing one is overwritten.`);
      const found = await stateOf(kind, located(kind, known, server)).catch(whenMissing);
      if (!found) return undefined;
      const given = state ? inputs : undefined;
      return {
        id: kind.id(found),
        inputs: inputsFound(kind.fields, given, found),
        state: markSecrets(kind.fields, found),
      };
    },

    async update(type, _id, oldState, news, { preview }) {
      const kind = kindOf(type);
      if (preview) return planned(kind.fields, news, oldState);
      const old = complete(kind.fields, oldState);
      const values = located(kind, news, server);
      await inside(kind, values, "update", (sql) => kind.update(sql, old, complete(kind.fields, values)));
      const state = await stateOf(kind, values);
      if (!state) throw new Error(`${kind.id(values)} does not exist any more. Run the update again with --refresh.`);
      return markSecrets(kind.fields, state);
    },

    async delete(type, _id, state) {
      const kind = kindOf(type);
      await inside(kind, state, "delete", (sql) => kind.delete(sql, state)).catch(whenMissing);
    },
  };
}

function kindOf(type: string): Kind {
  const kind = KINDS[type];
  if (!kind) throw new Error(`the emulated postgresql plugin does not support the type ${type}`);
  return kind;
}

/** An object without a database belongs to the one that the provider is connected to. */
function located(kind: Kind, values: Values, server: Server): Values {
  return kind.fields.database?.computed && !values.database ? { ...values, database: server.database } : values;
}

function explained(doing: string, error: unknown): Error {
  if (!(error instanceof pg.DatabaseError)) return error instanceof Error ? error : new Error(String(error));
  const details = [error.message, error.detail, error.hint].filter(Boolean).join("; ");
  return new Error(`could not ${doing} it in PostgreSQL: ${details}`, { cause: error });
}

/** An object does not exist if its database, schema or role does not. */
function whenMissing(error: unknown): undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  const missing = ["3D000", "3F000", "42704"]; // invalid_catalog_name, invalid_schema_name, undefined_object
  if (!(cause instanceof pg.DatabaseError) || !missing.includes(cause.code ?? "")) throw error;
}
