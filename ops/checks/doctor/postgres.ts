/** An existing Postgres: its encryption, its version and the rights of the administrator. Only reads the catalogs. */
import type { Client, ClientConfig } from "pg";
import { UnreachableError, withDatabase } from "../../clients/database.ts";
import { ownDatabase } from "../../clients/databaseAddress.ts";
import { quoted } from "../grants/sql.ts";
import { type Check, failed, passed } from "../check.ts";
import { existingDatabase } from "./existingDatabase.ts";
import type { Inputs } from "./inputs.ts";

/** Oldest supported version (docs/versions.md), as `server_version_num`. */
const MIN_VERSION = 150_000;

interface Facts {
  readonly version: string;
  readonly number: number;
  readonly encrypted: boolean;
  readonly superuser: boolean;
  readonly createRole: boolean;
  readonly createDb: boolean;
  readonly databases: readonly ExistingDatabase[];
}

/** A database of the stack that exists: its owner, and whether the administrator has the owner's rights or at least CREATE. */
interface ExistingDatabase {
  readonly name: string;
  readonly owner: string;
  readonly owned: boolean;
  readonly create: boolean;
}

const FACTS = `
  select current_setting('server_version') as version,
         current_setting('server_version_num')::int as number,
         coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as encrypted,
         rolsuper as superuser, rolcreaterole as "createRole", rolcreatedb as "createDb",
         (select coalesce(json_agg(json_build_object('name', datname, 'owner', pg_get_userbyid(datdba),
                                                     'owned', pg_has_role(datdba, 'usage'),
                                                     'create', has_database_privilege(datname, 'CREATE')) order by datname), '[]')
          from pg_database where datname = any($1)) as databases
  from pg_roles where rolname = current_user`;

/** Checks an existing Postgres server: its version, TLS, and the rights of the administrator. Returns none for a stack without a server. */
export async function postgres(inputs: Inputs): Promise<Check[]> {
  const { settings, stack } = inputs.target;
  const server = settings.postgres;
  if (!server) return [];
  if (server.install) return [passed("server", `Postgres ${server.install.version}, deployed by the stack`)];
  if (inputs.secrets.reveal(server.password) === undefined) {
    const hint = `run: pulumi config set --secret variables:${server.password.variables[0]} --stack ${stack}`;
    return [failed("password", `postgres.password: ${server.password.variables.join(", ")} is not set`, hint)];
  }
  const { target, secrets } = inputs;
  const values = { ...target, environment: { ...target.environment, ...secrets.known } };
  const config = ownDatabase(values, server.host, "postgres");
  try {
    return await withDatabase(config, (client) => checksOf(client, config, inputs));
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    return [failed("connection", error.message, connectionHint(error.message, server.sslmode))];
  }
}

function connectionHint(message: string, sslmode: string): string {
  if (/does not support SSL/.test(message)) return "enable TLS on the server, or set postgres.sslmode: disable";
  if (/certificate|altname|self-signed/i.test(message))
    return `correct postgres.sslrootcert or postgres.host (sslmode ${sslmode}; docs/postgres.md)`;
  if (/password|authentication|pg_hba/.test(message))
    return "correct postgres.user and postgres.password, or pg_hba.conf of the server";
  return "start it, or correct postgres.host and postgres.port; this machine must reach it";
}

async function checksOf(client: Client, config: ClientConfig, { target: { settings } }: Inputs): Promise<Check[]> {
  const { postgres: server, dataApi, identityProvider } = settings;
  const wanted = [
    ...(dataApi ? [dataApi.database] : []),
    ...(identityProvider.install && identityProvider.database ? [identityProvider.database.name] : []),
  ];
  const [facts] = (await client.query<Facts>(FACTS, [wanted])).rows;
  if (facts === undefined) throw new Error("pg_roles has no row for the current user");
  const { host = "", port, sslmode = "", user = "" } = server ?? {};
  const encryption = facts.encrypted ? "with TLS" : "without TLS";
  return [
    passed("connection", `${host}:${port} as ${user}, ${encryption} (sslmode ${sslmode})`),
    facts.number >= MIN_VERSION
      ? passed("version", facts.version)
      : failed("version", `Postgres ${facts.version} is too old`, "upgrade the server to 15 or newer"),
    dataApi && server?.superuser
      ? superuser(facts, user)
      : creator(facts, user, wanted, dataApi?.existing ? dataApi.database : undefined),
    ...(dataApi?.existing
      ? await existingDatabase(
          config,
          dataApi,
          facts.databases.some(({ name }) => name === dataApi.database),
        )
      : []),
  ];
}

/** Checks that the user is a superuser, which event triggers, grants on parameters and `temp_file_limit` of the data API require. */
function superuser(facts: Facts, user: string): Check {
  const name = "rights of the administrator";
  if (facts.superuser) return passed(name, `${user} is a superuser`);
  const problem = `postgres.user: ${user} is not a superuser, which gatehouse:data_api requires`;
  const hint = `as a superuser of the server run: ALTER ROLE ${quoted(user)} SUPERUSER. A managed server has no superuser: set postgres.superuser: false (docs/existing-database.md)`;
  return failed(name, problem, hint);
}

/**
 * Checks that the user can create the roles and databases that authentik, and a data API with `superuser: false`, need.
 * @param existing a database that the stack does not create, in which it creates schemas
 */
function creator(facts: Facts, user: string, wanted: readonly string[], existing: string | undefined): Check {
  const name = "rights of the administrator";
  if (facts.superuser) return passed(name, `${user} is a superuser`);
  const missing = wanted.filter((one) => one !== existing && !facts.databases.some(({ name: found }) => found === one));
  const lacks = [
    ...(facts.createRole ? [] : ["CREATEROLE"]),
    ...(facts.createDb || missing.length === 0 ? [] : ["CREATEDB"]),
  ];
  if (lacks.length > 0) {
    const problem = `postgres.user: ${user} lacks ${lacks.join(" and ")}`;
    return failed(name, problem, `as a superuser of the server run: ALTER ROLE ${quoted(user)} ${lacks.join(" ")}`);
  }
  const lacking = facts.databases
    .filter(({ name: database, owned, create }) => !(database === existing ? create : owned))
    .map(({ name: database, owner }) =>
      database === existing
        ? { problem: `lacks CREATE on database ${database}`, grant: `CREATE ON DATABASE ${quoted(database)}` }
        : { problem: `does not own database ${database} (of ${owner})`, grant: quoted(owner) },
    );
  if (lacking.length === 0) return passed(name, `${user} has CREATEROLE${facts.createDb ? " and CREATEDB" : ""}`);
  const grants = new Set(lacking.map(({ grant }) => `GRANT ${grant} TO ${quoted(user)}`));
  const problem = `postgres.user: ${user} ${lacking.map((one) => one.problem).join(" and ")}`;
  return failed(name, problem, `as a superuser of the server run: ${[...grants].join("; ")}`);
}
