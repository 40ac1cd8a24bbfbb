-- $1: the rows of kommuner-2024.csv as a JSON array.
with source as (
  select * from json_to_recordset($1::json)
    as row (kommune_nr text, navn text, fylke_nr text, fylke_navn text, orgnr text)
), landing as (
  insert into raw.ssb_kommuner (region_code, region_name, orgnr)
  select kommune_nr, navn, nullif(orgnr, '') from source on conflict do nothing
), counties as (
  insert into marts.dim_fylke select distinct fylke_nr, fylke_navn from source on conflict do nothing
), municipalities as (
  insert into marts.dim_kommune select kommune_nr, navn, fylke_nr, nullif(orgnr, '') from source on conflict do nothing
), entities as (
  insert into marts.dim_enhet select orgnr, navn || ' kommune', kommune_nr from source where orgnr <> '' on conflict do nothing
)
insert into private_marts.person
select row_number() over (order by kommune_nr), 'Sample Person', kommune_nr from source limit 10 on conflict do nothing;
