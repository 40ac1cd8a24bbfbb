-- Data and catalog of sqlCatalog.live.test.ts, written as the owner.
create table raw.ssb_population (region_code text, year integer, value bigint, primary key (year, region_code));
comment on table raw.ssb_population is 'Population as received';
comment on column raw.ssb_population.value is 'Persons';
insert into raw.ssb_population select 'r' || n, 2024, n from generate_series(1, 300) n;
create table marts.dim_region (region_code varchar(4), area numeric(8, 2) not null, secret text, primary key (region_code, secret));
create table marts.parts (id integer not null) partition by list (id);
create table marts.parts_1 partition of marts.parts for values in (1);
insert into marts.parts select 1 from generate_series(1, 40);
create materialized view marts.supply_total as select sum(value) as total from raw.ssb_population;
create view api_v1.population as select region_code, value as persons from raw.ssb_population;
create view api_v1.fact_both as select persons, area from api_v1.population join marts.dim_region using (region_code);
create table private_marts.person (id integer primary key);
insert into private_marts.person values (1);
create table marts.dim_hidden (id integer);
revoke select on marts.dim_hidden from gatehouse_anonymous;
revoke select on marts.dim_region from gatehouse_anonymous;
grant select (region_code, area) on marts.dim_region to gatehouse_anonymous;
analyze raw.ssb_population, marts.parts_1, marts.supply_total;

insert into catalog.sources (source_id, provider, title, licence, licence_url, publisher, attribution, periodicity, homepage,
  last_ingested_at, upstream_updated_at, next_expected_at)
values
  ('ssb-1', 'ssb', 'Population', 'CC BY 4.0', 'https://creativecommons.org/licenses/by/4.0/', 'Statistics Norway', 'Source: SSB',
    'yearly', 'https://www.ssb.no/', '2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z', '2999-01-01T00:00:00Z'),
  ('overdue', 'brreg', 'Overdue', null, null, null, null, null, null, '2026-01-02', null, '2026-02-01'),
  ('never', 'brreg', 'Never', null, null, null, null, null, null, null, null, '2026-02-01'),
  ('behind', 'brreg', 'Behind', null, null, null, null, null, null, '2026-01-02', '2026-01-03', '2999-01-01'),
  ('silent', 'brreg', 'Silent', null, null, null, null, null, null, '2026-01-02', null, null),
  ('caught-up', 'brreg', 'Caught up', null, null, null, null, null, null, '2026-03-02', null, '2026-02-01');
insert into catalog.endpoints (schema, relation, kind, title, description, source_ids)
values
  ('raw', 'ssb_population', 'ref', 'Population', null, '{ssb-1}'),
  ('api_v1', 'population', 'fact', 'Population now', 'Described by hand', '{ssb-1,silent}'),
  ('private_marts', 'person', 'dim', 'Persons', null, '{ssb-1}'), ('marts', 'gone', 'dim', 'Gone', null, '{ssb-1}');
insert into catalog.tags (schema, relation, tag)
values
  ('api_v1', 'population', 'topic:population'), ('api_v1', 'population', 'geo:kommune'), ('api_v1', 'population', 'cadence:yearly'),
  ('api_v1', 'population', 'eu_theme:soci'), ('api_v1', 'population', 'layer:curated'), ('api_v1', 'population', 'provider:norge.no'),
  ('raw', 'ssb_population', 'topic:population'), ('private_marts', 'person', 'topic:people');
insert into catalog.dimensions (source_id, dimension, title, description, schema, relation, column_name, editorial)
values
  ('ssb-1', 'Region', 'Municipality', 'As of 1 January', 'raw', 'ssb_population', 'region_code', '{"code_list": [131, {"a": null}]}'),
  ('ssb-1', 'Person', 'Person', 'Private', 'private_marts', 'person', 'id', '{}'),
  ('ssb-1', 'Hidden', 'Hidden', 'Without SELECT', 'marts', 'dim_hidden', null, '{}'),
  ('ssb-1', 'Secret', 'Secret', 'A column without SELECT', 'marts', 'dim_region', 'secret', '{}'),
  ('ssb-1', 'Area', 'Area', 'A column with SELECT', 'marts', 'dim_region', 'area', '{}'),
  ('ssb-1', 'Any', 'Any', 'Names no relation', null, null, null, '{}'),
  ('ssb-1', 'All', 'All', 'Names no column', 'raw', 'ssb_population', null, '{}');
