import { afterAll, beforeAll, expect, test } from "vitest";
import { type DataApi, startDataApi } from "./postgrest.ts";

let api: DataApi;
beforeAll(async () => {
  api = await startDataApi();
});
afterAll(() => api.stop());

/** A domain with the name of a built-in type, whose check runs a statement as the role that uses the type. */
const trap = (type: string, statement: string): string =>
  `create function pg_temp.trap(x pg_catalog.${type}) returns boolean language plpgsql as
     $f$ begin execute '${statement}'; return true; end $f$;
   create domain pg_temp.${type} as pg_catalog.${type} check (pg_temp.trap(value));`;

test("temporary types do not run with the rights of a function (CVE-2007-2138)", async () => {
  const { owner } = api.roles;
  const statement = `alter role ${owner} superuser`;
  // Without pg_temp at the end of the path, temporary types come first (runtime-config-client, search_path).
  await api.query(
    `create function public.vulnerable() returns void language plpgsql security definer set search_path = '' as
       $f$ declare found oid[]; begin select array_agg(c.oid) into found from pg_catalog.pg_class c where c.relname = 'pg_class'; end $f$`,
  );
  const isSuperuser = async (): Promise<unknown> =>
    (await api.query(`select rolsuper from pg_roles where rolname = '${owner}'`))[0];
  await api.query(`${trap("oid", statement)} select public.vulnerable()`, owner);
  expect(await isSuperuser()).toEqual({ rolsuper: true });
  await api.query(`alter role ${owner} nosuperuser`);
  await api.query(
    `${trap("oid", statement)} create view marts.k as select 1 as id; comment on view marts.k is 'K'; create table marts.t (id integer);
     drop view marts.k; drop table marts.t`,
    owner,
  );
  expect(await isSuperuser()).toEqual({ rolsuper: false });
});

test("every path of a function of Gatehouse ends with the temporary schema", async () => {
  const functions = await api.query<{ name: string; config: string | null }>(
    `select p.oid::regprocedure::text as name, p.proconfig::text as config from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where (n.nspname like 'gatehouse%' or n.nspname = 'catalog')
       and (p.proconfig::text like '%search_path%' or p.prolang = (select oid from pg_language where lanname = 'plpgsql'))`,
  );
  expect(functions.length).toBeGreaterThan(20);
  expect(functions.filter(({ config }) => config?.includes('"search_path=pg_catalog, pg_temp"') !== true)).toEqual([]);
});
