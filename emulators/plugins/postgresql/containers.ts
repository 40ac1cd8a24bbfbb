import { asText } from "../bridge.ts";
import { withRolesGranted, name } from "./server.ts";
import type { Kind } from "./server.ts";

export const database: Kind = {
  bare: true,
  fields: { name: {}, owner: { computed: true }, template: { output: true }, encoding: { output: true } },
  id: (values) => asText(values.name),
  parse: (id) => ({ name: id }),

  async create(sql, values) {
    const owner = name(values.owner ?? sql.server.username);
    await withRolesGranted(sql, [values.owner ?? ""], async () => {
      await sql.rows(`CREATE DATABASE ${name(values.name)} OWNER ${owner} TEMPLATE template0 ENCODING 'UTF8'`);
    });
  },

  async read(sql, known) {
    const found = await sql.row(
      `SELECT datname AS name, pg_get_userbyid(datdba)::text AS owner, pg_encoding_to_char(encoding)::text AS encoding
       FROM pg_database WHERE datname = $1`,
      [known.name],
    );
    return found && { ...found, template: known.template ?? "template0" };
  },

  async update(sql, old, values) {
    const database = name(values.name);
    if (old.name !== values.name) {
      await sql.server.leave(asText(old.name));
      await sql.rows(`ALTER DATABASE ${name(old.name)} RENAME TO ${database}`);
    }
    if (values.owner) await sql.rows(`ALTER DATABASE ${database} OWNER TO ${name(values.owner)}`);
  },

  async delete(sql, state) {
    await sql.server.leave(asText(state.name));
    await withRolesGranted(sql, [state.owner ?? ""], async () => {
      await sql.rows(`DROP DATABASE IF EXISTS ${name(state.name)} WITH (FORCE)`);
    });
  },
};

export const schema: Kind = {
  fields: {
    name: {},
    database: { computed: true, replaces: true },
    owner: { computed: true },
    ifNotExists: { default: true },
    dropCascade: { default: false },
  },
  id: (values) => `${asText(values.database)}.${asText(values.name)}`,
  parse(id) {
    const [database, name, ...rest] = id.split(".");
    if (!database || !name || rest.length > 0) {
      throw new Error(`schema ID ${id} has not the expected format 'database.schema'`);
    }
    return { database, name };
  },

  async create(sql, values) {
    // The real plugin takes over an existing schema, whatever the value of ifNotExists.
    await withRolesGranted(sql, [values.owner ?? ""], async () => {
      await sql.rows(`CREATE SCHEMA IF NOT EXISTS ${name(values.name)}`);
      if (values.owner) await sql.rows(`ALTER SCHEMA ${name(values.name)} OWNER TO ${name(values.owner)}`);
    });
  },
  read: (sql, known) =>
    sql.row(
      `SELECT nspname AS name, pg_get_userbyid(nspowner)::text AS owner, current_database() AS database
       FROM pg_namespace WHERE nspname = $1`,
      [known.name],
    ),
  async update(sql, old, values) {
    if (old.name !== values.name) await sql.rows(`ALTER SCHEMA ${name(old.name)} RENAME TO ${name(values.name)}`);
    if (values.owner) await sql.rows(`ALTER SCHEMA ${name(values.name)} OWNER TO ${name(values.owner)}`);
  },
  async delete(sql, state) {
    await sql.rows(`DROP SCHEMA IF EXISTS ${name(state.name)} ${state.dropCascade ? "CASCADE" : "RESTRICT"}`);
  },
};
