-- Sample data of the embedded platform, written as the owner role, as a pipeline would. Can run again.
-- Municipalities and counties are official codes (Statistics Norway, 2024); the persons are invented.

create table if not exists raw.ssb_kommuner (
  region_code text primary key,
  region_name text not null,
  orgnr text,
  ingested_at timestamptz not null default now()
);
comment on table raw.ssb_kommuner is 'Municipalities as received, one row per region code';
comment on column raw.ssb_kommuner.region_code is 'Code of the region, as upstream spells it';

create table if not exists marts.dim_fylke (
  fylke_nr text primary key,
  fylke_navn text not null
);
comment on table marts.dim_fylke is 'Counties of Norway, 2024';

create table if not exists marts.dim_kommune (
  kommune_nr text primary key,
  kommune_navn text not null,
  fylke_nr text not null references marts.dim_fylke,
  orgnr text
);
comment on table marts.dim_kommune is 'Municipalities of Norway, 2024';
comment on column marts.dim_kommune.kommune_nr is 'Municipality number, four digits';
comment on column marts.dim_kommune.fylke_nr is 'Number of the county that the municipality lies in';

create table if not exists marts.dim_enhet (
  orgnr text primary key,
  navn text not null,
  kommune_nr text not null references marts.dim_kommune
);
comment on table marts.dim_enhet is 'Entities of the register of legal entities; here the municipalities themselves';
comment on column marts.dim_enhet.orgnr is 'Organisation number, nine digits';

create table if not exists private_marts.person (
  person_id integer primary key,
  navn text not null,
  kommune_nr text not null references marts.dim_kommune
);
comment on table private_marts.person is 'Personal data: never exposed';

create or replace view api_v1.distrikt_summary as
  select fylke_nr, fylke_navn, count(*)::integer as kommuner
  from marts.dim_kommune join marts.dim_fylke using (fylke_nr)
  group by fylke_nr, fylke_navn;
comment on view api_v1.distrikt_summary is 'Counties with the number of their municipalities';
comment on column api_v1.distrikt_summary.kommuner is 'Number of municipalities in the county';

create or replace view api_v1.indicator_summary as
  select 'kommuner_per_fylke'::text as indicator, fylke_nr, kommuner as value, 2024 as year from api_v1.distrikt_summary;
comment on view api_v1.indicator_summary is 'Indicators by county and year';
comment on column api_v1.indicator_summary.value is 'Value of the indicator';
