-- The parts of the API's description as OpenAPI 3.1. They live here, since the schema gatehouse_openapi can be reached over the API.

-- A name in a path, as RFC 3986 writes it (sign '%'), or as the name of a component (sign '.').
create or replace function gatehouse.encoded(name text, sign text) returns text
  language sql
  immutable
  set search_path = pg_catalog, pg_temp
as $$
  select case when name ~ '^[A-Za-z0-9_-]+$' then name else (
    select pg_catalog.string_agg(
      case when pg_catalog.chr(byte) ~ '[A-Za-z0-9_-]' then pg_catalog.chr(byte)
      else sign || pg_catalog.upper(pg_catalog.lpad(pg_catalog.to_hex(byte), 2, '0')) end, '' order by place)
    from pg_catalog.convert_to(name, 'UTF8') as bytes
    cross join lateral pg_catalog.generate_series(0, pg_catalog.length(bytes) - 1) as place
    cross join lateral (select pg_catalog.get_byte(bytes, place)) as _(byte)
  ) end
$$;

-- Name of the parameter that filters by a column: in quotes if it has other characters than a plain name, or is the name of another parameter of PostgREST.
create or replace function gatehouse.filter_name(name text) returns text
  language sql
  immutable
  set search_path = pg_catalog, pg_temp
as $$
  select case
    when name ~ '^[A-Za-z_][A-Za-z0-9_]*$'
      and name <> all ('{select,order,limit,offset,columns,on_conflict,and,or,not}'::text[]) then name
    else '"' || pg_catalog.regexp_replace(name, '(["\\])', '\\\1', 'g') || '"'
  end
$$;

-- JSON Schema of a type's values, as PostgREST writes them. A type of an extension may be written in any way.
create or replace function gatehouse.json_schema(type oid, modifier integer, nullable boolean) returns jsonb
  language plpgsql
  stable
  set search_path = pg_catalog, pg_temp
as $$
declare
  t pg_catalog.pg_type;
  result jsonb;
begin
  select * into strict t from pg_catalog.pg_type where oid = type;
  result := case
    when t.typtype = 'd' then gatehouse.json_schema(t.typbasetype, t.typtypmod, false)
    when t.typcategory = 'A' then pg_catalog.jsonb_build_object(
      'type', 'array', 'items', gatehouse.json_schema(t.typelem, modifier, true))
    when t.typtype = 'c' then '{"type": "object"}'
    when t.typtype = 'e' then pg_catalog.jsonb_build_object('type', 'string', 'enum', (
      select pg_catalog.jsonb_agg(e.enumlabel order by e.enumsortorder) from pg_catalog.pg_enum e where e.enumtypid = t.oid))
    when t.typnamespace <> 'pg_catalog'::pg_catalog.regnamespace or t.typname in ('json', 'jsonb') then '{}'
    when t.typname in ('int2', 'int4') then '{"type": "integer", "format": "int32"}'
    when t.typname = 'int8' then '{"type": "integer", "format": "int64"}'
    when t.typname in ('float4', 'float8', 'numeric') then '{"type": "number"}'
    when t.typname = 'bool' then '{"type": "boolean"}'
    when t.typname = 'date' then '{"type": "string", "format": "date"}'
    when t.typname = 'timestamptz' then '{"type": "string", "format": "date-time"}'
    when t.typname = 'uuid' then '{"type": "string", "format": "uuid"}'
    when t.typname in ('varchar', 'bpchar') and modifier > 4 then pg_catalog.jsonb_build_object('type', 'string', 'maxLength', modifier - 4)
    else '{"type": "string"}'
  end;
  if nullable and result ? 'type' then
    result := pg_catalog.jsonb_set(result, '{type}', pg_catalog.jsonb_build_array(result -> 'type', 'null'));
    if result ? 'enum' then result := pg_catalog.jsonb_set(result, '{enum}', (result -> 'enum') || 'null'); end if;
  end if;
  return result;
end
$$;

-- The operators of a filter, by the category of the column's type.
create or replace function gatehouse.operators(category "char") returns text
  language sql
  immutable
  set search_path = pg_catalog, pg_temp
as $$
  select 'eq, neq, gt, gte, lt, lte, in, is, isdistinct' || case category
    when 'S' then ', like, ilike, match, imatch, fts, plfts, phfts, wfts'
    when 'A' then ', cs, cd, ov'
    when 'R' then ', cs, cd, ov, sl, sr, nxr, nxl, adj'
    when 'U' then ', cs, cd'
    else ''
  end
$$;

-- What paths refer to. $1 = schema, $2 = rows in one answer, $3 = seconds for which it may be kept, $4 = the relations, each after a comma.
create or replace function gatehouse.openapi_components(schema text, max_rows text, max_age text, relations text) returns json
  language sql
  immutable
  set search_path = pg_catalog, pg_temp
as $$
  select (pg_catalog.replace(pg_catalog.replace(pg_catalog.replace(pg_catalog.replace(pg_catalog.replace($json${
    "parameters": {
      "profile": { "name": "Accept-Profile", "in": "header", "required": true, "schema": { "const": <schema> },
        "description": "The schema" },
      "select": { "name": "select", "in": "query", "schema": { "type": "string" },
        "description": "Columns, separated by commas; `alias:column`, `column::type`, `relation(columns)` for related rows; at most <max_selected>" },
      "order": { "name": "order", "in": "query", "schema": { "type": "string" },
        "description": "Columns to sort by, separated by commas: `column`, `column.desc`, `column.desc.nullslast`; at most <max_ordered>" },
      "limit": { "name": "limit", "in": "query", "schema": { "type": "integer", "minimum": 0 },
        "description": "Maximum number of rows; a response never contains more than <max_rows>" },
      "offset": { "name": "offset", "in": "query", "schema": { "type": "integer", "minimum": 0 }, "description": "Number of rows to skip" },
      "range": { "name": "Range", "in": "header", "schema": { "type": "string", "pattern": "^[0-9]+-[0-9]*$" },
        "description": "First and last row, counted from 0, instead of limit and offset: `0-99`; of GET only" },
      "prefer": { "name": "Prefer", "in": "header", "schema": { "enum": ["count=exact", "count=planned", "count=estimated"] },
        "description": "Puts the number of all rows into Content-Range; estimates are refused for a relation that hides rows of its tables" },
      "known": { "name": "If-None-Match", "in": "header", "schema": { "type": "string" },
        "description": "The ETag of an answer: 304 as long as nothing has changed" }
    },
    "headers": {
      "Content-Range": { "schema": { "type": "string" },
        "description": "First and last row, and the number of all rows if it was requested: `0-99/*`, `0-99/357`, `*/357`" },
      "ETag": { "schema": { "type": "string" }, "description": "Changes with the data" },
      "Cache-Control": { "schema": { "type": "string" }, "description": "The response may be cached for <max_age> seconds" },
      "X-Max-Rows": { "schema": { "type": "integer" },
        "description": "Maximum number of rows in one response; if it contains this number, there may be more" },
      "Deprecation": { "schema": { "type": "string" }, "description": "Since when the schema is deprecated, if it is (RFC 9745)" },
      "Sunset": { "schema": { "type": "string" }, "description": "When the schema is removed, if this is announced (RFC 8594)" },
      "Link": { "schema": { "type": "string" }, "description": "Page about the replacement of a deprecated schema, with rel=\"deprecation\" (RFC 9745)" },
      "Retry-After": { "schema": { "type": "integer" }, "description": "Seconds to wait before the next request" }
    },
    "responses": {
      "NotModified": { "description": "Nothing has changed", "headers": {
        "ETag": { "$ref": "#/components/headers/ETag" }, "Cache-Control": { "$ref": "#/components/headers/Cache-Control" } } },
      "BadRequest": { "description": "The query is invalid, or requests a count that is refused",
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/.error" } } } },
      "NotFound": { "description": "There is no such relation in this schema",
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/.error" } } } },
      "NotAcceptable": { "description": "A single object was requested, and there is not exactly one row",
        "content": { "application/vnd.pgrst.object+json": { "schema": { "$ref": "#/components/schemas/.error" } } } },
      "UnsupportedMediaType": { "description": "None of the accepted media types is available",
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/.error" } } } },
      "RangeNotSatisfiable": { "description": "The range begins after the last row",
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/.error" } } } },
      "TooManyRequests": { "description": "Too many requests from one address",
        "headers": { "Retry-After": { "$ref": "#/components/headers/Retry-After" } } },
      "Failed": { "description": "The query took too long, or failed",
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/.error" } } } },
      "Unavailable": { "description": "The database is unavailable or overloaded",
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/.error" } } },
        "headers": { "Retry-After": { "$ref": "#/components/headers/Retry-After" } } },
      "Busy": { "description": "No connection to the database became free in time",
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/.error" } } } }
    },
    "schemas": {
      ".error": { "type": "object", "properties": { "code": { "type": "string" }, "message": { "type": "string" }, "details": {}, "hint": {} } }$json$,
    '<schema>', pg_catalog.to_json(schema)::text), '<max_rows>', max_rows), '<max_age>', max_age),
    '<max_selected>', gatehouse.setting('max_selected')), '<max_ordered>', gatehouse.setting('max_ordered')) || relations || ' } }')::json
$$;

-- Responses of one operation; $1 = what a 200 or 206 contains besides its headers: `"content": {…},` or nothing.
create or replace function gatehouse.openapi_responses(content text) returns text
  language sql
  immutable
  set search_path = pg_catalog, pg_temp
as $$
  select pg_catalog.replace($json${
    "200": { "description": "The rows", <content> },
    "206": { "description": "A part of the rows", <content> },
    "304": { "$ref": "#/components/responses/NotModified" },
    "400": { "$ref": "#/components/responses/BadRequest" },
    "404": { "$ref": "#/components/responses/NotFound" },
    "406": { "$ref": "#/components/responses/NotAcceptable" },
    "415": { "$ref": "#/components/responses/UnsupportedMediaType" },
    "416": { "$ref": "#/components/responses/RangeNotSatisfiable" },
    "429": { "$ref": "#/components/responses/TooManyRequests" },
    "500": { "$ref": "#/components/responses/Failed" },
    "503": { "$ref": "#/components/responses/Unavailable" },
    "504": { "$ref": "#/components/responses/Busy" }
  }$json$, '<content>', content || $json$"headers": {
      "Content-Range": { "$ref": "#/components/headers/Content-Range" },
      "ETag": { "$ref": "#/components/headers/ETag" },
      "Cache-Control": { "$ref": "#/components/headers/Cache-Control" },
      "X-Max-Rows": { "$ref": "#/components/headers/X-Max-Rows" },
      "Deprecation": { "$ref": "#/components/headers/Deprecation" },
      "Sunset": { "$ref": "#/components/headers/Sunset" },
      "Link": { "$ref": "#/components/headers/Link" }
    }$json$)
$$;

-- The path of one relation. $1 = its component, $2 = description or null, $3 = filters as JSON, each after a comma, $4 = rows in one answer.
create or replace function gatehouse.openapi_path(id text, description text, filters text, max_rows text) returns json
  language sql
  immutable
  set search_path = pg_catalog, pg_temp
as $$
  select (
    '{ "parameters": [
      { "$ref": "#/components/parameters/profile" }, { "$ref": "#/components/parameters/select" },
      { "$ref": "#/components/parameters/order" }, { "$ref": "#/components/parameters/limit" },
      { "$ref": "#/components/parameters/offset" }, { "$ref": "#/components/parameters/range" },
      { "$ref": "#/components/parameters/prefer" }, { "$ref": "#/components/parameters/known" }' || filters || '
    ],
    "get": { ' || coalesce('"summary": ' || pg_catalog.to_json(description) || ', ', '') || '"operationId": "get.' || id || '",
      "responses": ' || gatehouse.openapi_responses(pg_catalog.replace(pg_catalog.replace($json$"content": {
        "application/json": { "schema": { "type": "array", "maxItems": <max_rows>, "items": { "$ref": "#/components/schemas/<id>" } } },
        "application/vnd.pgrst.object+json": { "schema": { "$ref": "#/components/schemas/<id>" } },
        "text/csv": { "schema": { "type": "string" } }
      }, $json$, '<id>', id), '<max_rows>', max_rows)) || ' },
    "head": { "operationId": "head.' || id || '", "responses": ' || gatehouse.openapi_responses('') || ' } }'
  )::json
$$;
