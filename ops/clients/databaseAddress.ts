/** Addresses of the database of the data API, as the shell of a deployment has them. */
import { readFileSync } from "node:fs";
import type { ClientConfig } from "pg";
import { SSL_MODES } from "../../config/sections/postgres/sslModes.ts";
import { filledIn } from "../../config/variables/secretText.ts";
import type { DataApi, SecretText } from "../../config/settings.ts";
import type { Environment } from "../../config/variables/variables.ts";
import { tlsOptions } from "../../infra/postgres/tls.ts";
import { UserError } from "../../config/errors/userError.ts";
import { type StackValues, variableOf } from "../context/context.ts";

/** Returns the settings of a stack's data API. @throws UserError when the stack has none */
export function dataApiOf({ stack, settings }: StackValues): DataApi {
  if (settings.dataApi) return settings.dataApi;
  throw new UserError(`stack ${stack} has no data_api, so it has no contract`, "add data_api to its stack file");
}

/**
 * Returns the address and the credentials of the stack's own database, as the administrator.
 * @param host default: as stated; an installed server may have no stated host
 * @param database default: that of the data API
 * @throws UserError without a server, a host or its password
 */
export function ownDatabase(
  values: StackValues,
  host = values.settings.postgres?.host,
  database = dataApiOf(values).database,
): ClientConfig {
  const { stack, settings } = values;
  const { postgres } = settings;
  if (postgres === undefined) throw new UserError(`stack ${stack} has no postgres`, "use --database-url-from");
  if (host === undefined) {
    const hint = "set postgres.install.host to an address that this machine reaches, or use --database-url-from";
    throw new UserError(`stack ${stack} does not state where its postgres is`, hint);
  }
  const { port, user } = postgres;
  const password = reveal(postgres.password, values);
  return { host, port, user, password, database, ssl: tlsOptions(postgres, host) };
}

/**
 * Returns the address and the credentials of a connection URL, e.g. `postgres://me@localhost:5432/scratch?sslmode=verify-full&sslrootcert=/ca.crt`.
 * @param variable environment variable that contains it, so that its password is in no command line
 * @throws UserError when it contains no such URL, or the file of `sslrootcert` cannot be read
 */
export function databaseOf(variable: string, environment: Environment): ClientConfig {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(variable)) {
    throw new UserError(
      "--database-url-from takes the name of an environment variable, not the URL itself",
      "put the URL into a variable",
    );
  }
  const config = parseUrl(environment[variable] ?? "");
  if (config) return config;
  const form = "postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=disable, require, verify-ca or verify-full";
  throw new UserError(`${variable} is not set to a connection URL`, `write it like ${form}`);
}

function parseUrl(text: string): ClientConfig | undefined {
  const url = URL.parse(text);
  const named = url?.searchParams.get("sslmode") ?? "disable";
  const sslmode = SSL_MODES.find((mode) => mode === named);
  if (!url?.hostname || !/^postgres(ql)?:$/.test(url.protocol) || sslmode === undefined) return undefined;
  const file = url.searchParams.get("sslrootcert");
  if (file !== null && !sslmode.startsWith("verify-")) return undefined;
  try {
    const [user, password, database] = [url.username, url.password, url.pathname.slice(1)].map(decodeURIComponent);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const ssl = tlsOptions({ sslmode, sslrootcert: file === null ? undefined : readCertificates(file) }, host);
    return { host, port: Number(url.port || 5432), user, password, database, ssl };
  } catch (error) {
    if (error instanceof UserError) throw error;
    return undefined; // % without two digits behind it
  }
}

function readCertificates(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    throw new UserError(`cannot read ${file}`, "name the file with the root certificate in sslrootcert");
  }
}

function reveal(text: SecretText, values: StackValues): string {
  const { stack } = values;
  return filledIn(text, (name) => {
    const value = variableOf(values, name);
    if (value) return value;
    const start = "run npm start first";
    const read = `run: export ${name}="$(pulumi config get variables:${name} --stack ${stack})"`;
    throw new UserError(
      `postgres.password: the value of "${name}" is not known here`,
      stack === "local" ? start : read,
    );
  });
}
