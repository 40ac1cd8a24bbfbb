/**
 * Emulates psql for Jobs that run SQL files: `-f FILE`, `-c SQL`, `-v NAME=VALUE` with `:NAME`, `:'NAME'`, `:"NAME"`,
 * `--single-transaction`. Stops at the first error, so ON_ERROR_STOP=1 is required. The server is that of PGHOST, PGUSER, PGSSLMODE, … .
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Client, DatabaseError, escapeIdentifier, escapeLiteral } from "pg";
import { libpqTls } from "../libpq.ts";

const { values, tokens } = parseArgs({
  tokens: true,
  options: {
    file: { type: "string", short: "f", multiple: true },
    command: { type: "string", short: "c", multiple: true },
    set: { type: "string", short: "v", multiple: true, default: [] },
    variable: { type: "string", multiple: true, default: [] },
    "single-transaction": { type: "boolean", short: "1" },
    "no-psqlrc": { type: "boolean", short: "X" },
    "no-password": { type: "boolean", short: "w" },
    quiet: { type: "boolean", short: "q" },
  },
});

const variables = new Map([...values.set, ...values.variable].map(assignment));
if (!["1", "on"].includes(variables.get("ON_ERROR_STOP") ?? ""))
  fail("psql: error: only runs with -v ON_ERROR_STOP=1 here");

let at = "connection";
const client = new Client({ ssl: encryption() });
client.on("notice", ({ severity, message }) => console.error(`${severity}: ${message}`));
try {
  await client.connect();
  if (values["single-transaction"]) await client.query("begin");
  for (const { name, sql } of scripts()) {
    at = name;
    await client.query(withVariables(name, sql));
  }
  if (values["single-transaction"]) await client.query("commit");
} catch (error) {
  fail(`psql:${at}: ERROR:  ${describe(error)}`);
} finally {
  await client.end();
}

function encryption(): ReturnType<typeof libpqTls> {
  const { PGSSLMODE, PGSSLROOTCERT, PGHOST = "" } = process.env;
  try {
    return libpqTls(PGSSLMODE, PGSSLROOTCERT, PGHOST);
  } catch (error) {
    return fail(`psql: error: ${describe(error)}`);
  }
}

/** Files and commands in the order they are given in. */
function scripts(): { name: string; sql: string }[] {
  return tokens.flatMap((token) => {
    if (token.kind !== "option" || token.value === undefined) return [];
    if (token.name === "file") return [{ name: token.value, sql: readFileSync(token.value, "utf8") }];
    return token.name === "command" ? [{ name: "-c", sql: token.value }] : [];
  });
}

function assignment(text: string): [string, string] {
  const [name = "", ...value] = text.split("=");
  return [name, value.join("=")];
}

/** Replaces variables outside of strings, quoted names, dollar quotes and comments; `::` is a cast. A variable without a value stays. */
function withVariables(name: string, sql: string): string {
  const token =
    /'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$\w*\$)[\s\S]*?\1|--.*|\/\*[\s\S]*?\*\/|::|^\\.*|:'(\w+)'|:"(\w+)"|:(\w+)/gm;
  return sql.replace(token, (text: string, _tag?: string, literal?: string, identifier?: string, bare?: string) => {
    if (text.startsWith("\\"))
      fail(`psql:${name}: error: ${text.split(/\s/, 1)[0]} is not supported by the emulator of psql`);
    const value = variables.get(literal ?? identifier ?? bare ?? "");
    if (value === undefined) return text;
    if (literal !== undefined) return escapeLiteral(value);
    return identifier !== undefined ? escapeIdentifier(value) : value;
  });
}

function describe(error: unknown): string {
  if (!(error instanceof DatabaseError)) return error instanceof Error ? error.message : String(error);
  return [error.message, error.detail && `DETAIL:  ${error.detail}`, error.hint && `HINT:  ${error.hint}`]
    .filter(Boolean)
    .join("\n");
}

function fail(message: string): never {
  console.error(message);
  process.exit(3);
}
