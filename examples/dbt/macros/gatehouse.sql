{# Hooks of target prod; copy this file. #}

{# Refuses the project. The query runs while the hook is rendered, because dbt builds the models also after a hook whose SQL fails. #}
{% macro gatehouse_check() -%}
  {%- if execute and target.name == 'prod' -%} {%- do run_query("select catalog.check_dbt(" ~ gatehouse_manifest() ~ ")") -%} {%- endif -%}
{%- endmacro %}

{# Writes titles, tags and sources. #}
{% macro gatehouse_describe() -%}
  {%- if execute and target.name == 'prod' -%} select * from catalog.describe_dbt({{ gatehouse_manifest() }}) {%- endif -%}
{%- endmacro %}

{# What the functions read of manifest.json, as a literal: tojson writes ASCII, and a doubled quote does not end a literal. #}
{% macro gatehouse_manifest() -%}
  {%- set keys = ['resource_type', 'name', 'source_name', 'database', 'schema', 'alias', 'identifier', 'patch_path', 'original_file_path',
    'description', 'columns', 'tags', 'meta', 'source_meta', 'loaded_at_field', 'freshness', 'depends_on'] -%}
  {%- set manifest = {'nodes': {}, 'sources': {}} -%}
  {%- for group, entries in manifest.items() -%}
    {%- for id, node in graph[group].items() -%}
      {%- set config = {} -%}
      {%- for key in ['materialized', 'persist_docs', 'meta', 'grants', 'store_failures'] -%}{%- do config.update({key: node.config.get(key)}) -%}{%- endfor -%}
      {%- if config.store_failures is none -%}{%- do config.update({'store_failures': flags.STORE_FAILURES}) -%}{%- endif -%}
      {%- do entries.update({id: {'config': config}}) -%}
      {%- for key in keys -%}{%- do entries[id].update({key: node.get(key)}) -%}{%- endfor -%}
    {%- endfor -%}
  {%- endfor -%}
  '{{ tojson(manifest) | replace("'", "''") }}'
{%- endmacro %}
