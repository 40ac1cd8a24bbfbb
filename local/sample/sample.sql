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

-- What the catalog shows about them; docs/describing-data.md explains it.
insert into catalog.sources (source_id, provider, title, licence, licence_url, publisher, attribution, periodicity, homepage,
  last_ingested_at, next_expected_at)
values
  ('ssb-klass-131', 'ssb', 'Classification of municipalities', 'CC BY 4.0', 'https://creativecommons.org/licenses/by/4.0/',
    'Statistics Norway', 'Source: Statistics Norway', 'yearly', 'https://www.ssb.no/en/klass/klassifikasjoner/131', now(), now() + interval '1 year'),
  ('brreg-enheter', 'brreg', 'Register of legal entities', 'NLOD 2.0', 'https://data.norge.no/nlod/en/2.0',
    'Brønnøysund Register Centre', 'Source: Brønnøysund Register Centre', 'daily', 'https://data.brreg.no/enhetsregisteret/oppslag/enheter', now(), null)
on conflict (source_id) do update set last_ingested_at = excluded.last_ingested_at, next_expected_at = excluded.next_expected_at;

insert into catalog.dimensions (source_id, dimension, title, description, schema, relation, column_name, editorial)
values
  ('ssb-klass-131', 'region', 'Municipality', 'Municipalities as of 1 January 2024', 'marts', 'dim_kommune', 'kommune_nr', '{"valid_from": "2024-01-01"}'),
  ('ssb-klass-131', 'fylke', 'County', 'Counties as of 1 January 2024', 'marts', 'dim_fylke', 'fylke_nr', '{"valid_from": "2024-01-01"}'),
  ('brreg-enheter', 'organisasjonsnummer', 'Organisation number', 'Nine digits, the last of them a check digit', 'marts', 'dim_enhet', 'orgnr', '{}')
on conflict do nothing;

insert into catalog.endpoints (schema, relation, kind, title, source_ids)
values
  ('raw', 'ssb_kommuner', null, 'Municipalities as received', '{ssb-klass-131,brreg-enheter}'),
  ('marts', 'dim_kommune', null, 'Municipalities', '{ssb-klass-131,brreg-enheter}'),
  ('marts', 'dim_fylke', null, 'Counties', '{ssb-klass-131}'),
  ('marts', 'dim_enhet', null, 'Legal entities', '{brreg-enheter}'),
  ('api_v1', 'distrikt_summary', 'fact', 'Municipalities by county', '{ssb-klass-131}'),
  ('api_v1', 'indicator_summary', null, 'Indicators by county', '{ssb-klass-131}')
on conflict do nothing;

-- The namespaces layer and provider follow from the schema and the sources by themselves.
insert into catalog.tags (schema, relation, tag)
select schema, relation, tag
from catalog.endpoints
cross join unnest(array['topic:administrative-divisions', 'geo:norway', 'eu_theme:regi']) as tag
where schema in ('api_v1', 'marts')
union all values
  ('marts', 'dim_kommune', 'cadence:yearly'), ('marts', 'dim_fylke', 'cadence:yearly'), ('marts', 'dim_enhet', 'cadence:daily'),
  ('marts', 'dim_enhet', 'topic:legal-entities')
on conflict do nothing;
