/** A database that exists before the data API: 30 tables of three owners. */
import { expect } from "vitest";
import { expectationOf } from "../../ops/checks/grants/expectation.ts";
import type { GrantFinding } from "../../ops/checks/grants/finding.ts";
import { verifyGrants } from "../../ops/checks/grants/verification.ts";
import { ADMINISTRATOR, type Answer, type DataApi, startDataApi } from "./postgrest.ts";

/** Each with whether it is a superuser. */
export const ADMINISTRATORS = [
  ["a superuser", true],
  ["a role without superuser rights", false],
] as const;

export const EMAIL = "canary-4c1e@example.org";
const OWNERS = ["dbt", "etl", "app"];
const SCHEMAS: Readonly<Record<string, string>> = { dbt: "analytics_api", etl: "analytics_api", app: "app_public" };
const NUMBERS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
export const TABLES = OWNERS.flatMap((owner) =>
  NUMBERS.map((number) => ({ owner, schema: SCHEMAS[owner] ?? "", name: `${owner}_${number}` })),
);
/** Returns the hint for a relation of an exposed schema that lacks SELECT. */
export const publication = (relation: string): string =>
  `if all its rows and columns may be public: GRANT SELECT ON TABLE ${relation} TO gatehouse_anonymous; otherwise move it to another schema`;
/** Returns the statement that builds a table from the private one, without its private column. */
export const build = (name: string, round: number): string =>
  `create table ${name} as select id, region, ${round} as round from people.customer`;

const CONTENT = `
  create role outsider;
  set role ${ADMINISTRATOR};
  create role dbt login; create role etl login; create role app login; create role "load-job@Shop" login;
  reset role;
  create schema analytics_api authorization dbt;
  create schema app_public authorization app;
  create schema people authorization app;
  create schema staging authorization etl;
  create schema "Crm-EU" authorization app; create table "Crm-EU".contact as select 1 as id; alter table "Crm-EU".contact owner to app;
  grant create on schema public to "load-job@Shop";
  grant usage, create on schema analytics_api to etl, outsider, "load-job@Shop";
  set role etl; create table staging.client as select 1 as id, '${EMAIL}'::text as email;
  create view analytics_api.clients as select id from staging.client; reset role;
  set role "load-job@Shop"; create table public.invoice (id integer, email text); create function public.helper() returns integer language sql return 1; insert into public.invoice values (1, '${EMAIL}');
  create view analytics_api.invoices as select id from public.invoice; reset role;
  set role app;
  create table people.customer (id integer, region text, email text);
  insert into people.customer select n, 'north', '${EMAIL}' from generate_series(1, 20) n;
  grant usage on schema people to dbt, etl; grant select on people.customer to dbt, etl;
  reset role;
  ${TABLES.map(({ owner, schema, name }) => `set role ${owner}; ${build(`${schema}.${name}`, 0)}; reset role;`).join("\n")}`;

/** A data API on the database. */
export interface ExistingDatabase {
  readonly api: DataApi;
  /** Every response of `read`. */
  readonly bodies: readonly string[];
  readonly read: (path: string, schema?: string) => Promise<Answer>;
  /** Reads a table; every response must have all rows of one build. */
  readonly roundOf: (table: { readonly schema: string; readonly name: string }) => Promise<number>;
  readonly findings: () => Promise<GrantFinding[]>;
  /** Findings that are errors. */
  readonly differences: () => Promise<GrantFinding[]>;
  stop(): Promise<void>;
}

/** @param superuser whether the migrations and the verification run as a superuser */
export async function startExistingDatabase(superuser: boolean): Promise<ExistingDatabase> {
  const api = await startDataApi({
    superuser,
    writers: [...OWNERS, "load-job@Shop"],
    content: CONTENT,
    exposed: ["analytics_api", "app_public", "reference"],
    private: ["people", "Crm-EU"],
    hidden: ["staging", "public", "Stage.2"],
  });
  const client = await api.session();
  if (!superuser) await client.query(`set role ${ADMINISTRATOR}`);
  const bodies: string[] = [];
  const read: ExistingDatabase["read"] = async (path, schema = "analytics_api") => {
    const response = await api.get(path, { "accept-profile": schema });
    bodies.push(response.body);
    return response;
  };
  const roundOf: ExistingDatabase["roundOf"] = async ({ schema, name }) => {
    const { status, body } = await read(`/${name}?order=id`, schema);
    expect([name, status, status === 200 ? "" : body]).toEqual([name, 200, ""]);
    const rows = JSON.parse(body) as { id: number; region: string; round: number }[];
    const [{ round } = { round: -1 }] = rows;
    expect(rows).toEqual(Array.from({ length: 20 }, (_, index) => ({ id: index + 1, region: "north", round })));
    return round;
  };
  const findings = (): Promise<GrantFinding[]> => verifyGrants(client, expectationOf(api.plan));
  const differences = async (): Promise<GrantFinding[]> =>
    (await findings()).filter(({ severity }) => severity === "error");
  const stop = async (): Promise<void> => {
    await client.end();
    await api.stop();
  };
  return { api, bodies, read, roundOf, findings, differences, stop };
}
