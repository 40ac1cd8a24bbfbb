-- How pipelines describe their data (docs/describing-data.md). The owner and the writers read the tables; the views meta_* show what is public.

create table if not exists catalog.sources (
  source_id text primary key,
  provider text not null constraint provider_is_a_tag_value check (provider ~ '^[^[:space:],:{}()"\\]+$'),
  title text not null,
  licence text,
  licence_url text,
  publisher text,
  attribution text,
  periodicity text,
  homepage text,
  last_ingested_at timestamptz,
  upstream_updated_at timestamptz,
  next_expected_at timestamptz
);

create table if not exists catalog.dimensions (
  source_id text references catalog.sources on delete cascade,
  dimension text,
  title text,
  description text,
  schema text,
  relation text,
  column_name text,
  editorial jsonb not null default '{}',
  primary key (source_id, dimension)
);

create table if not exists catalog.endpoints (
  schema text,
  relation text,
  kind text constraint kind_is_known check (kind in ('dim', 'fact', 'indicator', 'supply', 'ref')),
  title text,
  description text,
  source_ids text[] not null default '{}',
  primary key (schema, relation)
);

create table if not exists catalog.tags (
  schema text,
  relation text,
  tag text constraint tag_is_namespace_and_value
    check (tag ~ '^(provider|topic|geo|cadence|eu_theme|layer):[^[:space:],:{}()"\\]+$'),
  primary key (schema, relation, tag)
);

-- Only where it differs: it waits for every transaction that reads or writes the table, and those that follow wait for it.
do $$
declare
  owner constant name := pg_catalog.current_setting('gatehouse.owner');
  other pg_catalog.regclass;
begin
  for other in
    select c.oid from pg_catalog.pg_class c
    where c.relnamespace = 'catalog'::pg_catalog.regnamespace and c.relname in ('sources', 'dimensions', 'endpoints', 'tags')
      and pg_catalog.pg_get_userbyid(c.relowner) <> owner
  loop
    execute pg_catalog.format('alter table %s owner to %I', other, owner);
  end loop;
end
$$;

comment on table catalog.sources is 'Upstream sources, one row each';
comment on column catalog.sources.source_id is 'Name of the source, unique';
comment on column catalog.sources.provider is 'Name of the provider, as in the tag provider:<provider>';
comment on column catalog.sources.title is 'Display title';
comment on column catalog.sources.licence is 'Licence of the data, e.g. CC BY 4.0';
comment on column catalog.sources.licence_url is 'Address of the licence';
comment on column catalog.sources.publisher is 'Name of the organisation that publishes it';
comment on column catalog.sources.attribution is 'The attribution that users of the data must write';
comment on column catalog.sources.periodicity is 'How often upstream publishes, e.g. yearly';
comment on column catalog.sources.homepage is 'Page about the source';
comment on column catalog.sources.last_ingested_at is 'When the pipeline last ingested it';
comment on column catalog.sources.upstream_updated_at is 'When upstream last changed it';
comment on column catalog.sources.next_expected_at is 'When the next version is due';

comment on table catalog.dimensions is 'Dimensions of a source, one row each';
comment on column catalog.dimensions.source_id is 'The source';
comment on column catalog.dimensions.dimension is 'Name of the dimension, as upstream spells it';
comment on column catalog.dimensions.title is 'Display title';
comment on column catalog.dimensions.description is 'What it means';
comment on column catalog.dimensions.schema is 'Schema of the relation that it appears in';
comment on column catalog.dimensions.relation is 'Relation that it appears in';
comment on column catalog.dimensions.column_name is 'Column that it appears in';
comment on column catalog.dimensions.editorial is 'Any other JSON, passed through unchanged';

comment on table catalog.endpoints is 'Title, kind, description and sources of relations, one row each';
comment on column catalog.endpoints.schema is 'Schema of the relation';
comment on column catalog.endpoints.relation is 'Name of the relation';
comment on column catalog.endpoints.kind is 'dim, fact, indicator, supply or ref; the beginning of the name when it is null';
comment on column catalog.endpoints.title is 'Display title';
comment on column catalog.endpoints.description is 'Description; the comment on the relation when it is null';
comment on column catalog.endpoints.source_ids is 'The sources that its rows come from';

comment on table catalog.tags is 'Tags of relations';
comment on column catalog.tags.schema is 'Schema of the relation';
comment on column catalog.tags.relation is 'Name of the relation';
comment on column catalog.tags.tag is '<namespace>:<value>, the namespace one of provider, topic, geo, cadence, eu_theme, layer';
