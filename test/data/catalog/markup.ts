/** A relation whose names, descriptions, tags, source and cells contain markup. */
import { asOwner, sendRequest, until } from "../apiClient.ts";

/** Markup that runs a script; the second contains only characters that a tag of the catalog may have. */
export const ATTACK = "<img src=x onerror=attacked=1>";
const TAG = "<img/src=x/onerror=attacked=1>";
/** A link that runs a script. */
const SCRIPT_LINK = "javascript:attacked=1";

export const RELATION = `fact_${ATTACK}`;
export const TITLE = `Title ${ATTACK}\u202E"'`;
export const SOURCE = `source-${ATTACK}`;
export const COLUMNS = ["id", ATTACK, "=1+1", "kommune_nr", "doc"] as const;

/** Texts of cells, and how the page shows them if that differs. */
export const CELLS: readonly (readonly [text: string, shown?: string])[] = [
  [ATTACK],
  ["<script>attacked=1</script>"],
  [`"><svg onload=attacked=1><iframe srcdoc="<script>parent.attacked=1</script>">`],
  ["</textarea></style></title><b>bold</b>{{7*7}}${7*7}"],
  ["&lt;b&gt; &amp; &#60;"],
  ["a\u0001\u001B[31mred\u007F", "a⟨U+0001⟩⟨U+001B⟩[31mred⟨U+007F⟩"],
  ["invoice\u202Egnp.exe\u200B\uFEFF", "invoice⟨U+202E⟩gnp.exe⟨U+200B⟩⟨U+FEFF⟩"],
  ["שלום مرحبا <b>"],
  ["line one\nline two\ttab"],
  [`${"long <b> ".repeat(1_138)}`, `${"long <b> ".repeat(1_138).slice(0, 200)} … shortened`],
  ["   "],
];

/** Texts that a spreadsheet would execute. */
export const FORMULAS = [
  "=1+1",
  "+1+1",
  "-1+1",
  "@SUM(1)",
  "|cmd",
  "\t=1+1",
  "\r=1+1",
  " =1+1",
  "\u200B=1+1",
  "\uFF1D1+1",
  '=1+"1",\'2',
];

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const name = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const TABLE = `marts.${name(RELATION)}`;

/** Creates the relation and its metadata. */
export async function createRelation(): Promise<void> {
  const rows = [...CELLS.map(([text]) => text), ...FORMULAS].map(
    (text, index) =>
      `(${index + 1}, ${quoted(text)}, 1, ${quoted(SCRIPT_LINK)}, ${quoted(JSON.stringify({ [ATTACK]: ATTACK }))})`,
  );
  await removeRelation();
  await asOwner(
    `create table ${TABLE} (id integer primary key, ${name(ATTACK)} text, "=1+1" integer, kommune_nr text, doc jsonb)`,
    `insert into ${TABLE} values ${rows.join(", ")}`,
    `comment on table ${TABLE} is ${quoted(`Description ${ATTACK}`)}`,
    `comment on column ${TABLE}.${name(ATTACK)} is ${quoted(`Column ${ATTACK}`)}`,
    `insert into catalog.sources (source_id, provider, title, licence, licence_url, publisher, attribution, periodicity, homepage)
     values (${[SOURCE, TAG, ATTACK, ATTACK, SCRIPT_LINK, ATTACK, ATTACK, ATTACK, "data:text/html,<script>attacked=1</script>"].map(quoted).join(", ")})`,
    `insert into catalog.endpoints (schema, relation, title, source_ids)
     values ('marts', ${quoted(RELATION)}, ${quoted(TITLE)}, array[${quoted(SOURCE)}])`,
    `insert into catalog.tags values ('marts', ${quoted(RELATION)}, ${quoted(`topic:${TAG}`)})`,
    `insert into catalog.dimensions (source_id, dimension, title, description, schema, relation, column_name, editorial)
     values (${[SOURCE, ATTACK, ATTACK, ATTACK, "marts", RELATION, ATTACK, JSON.stringify({ note: ATTACK })].map(quoted).join(", ")})`,
  );
  const headers = { "Accept-Profile": "marts" };
  await until(200, async () => (await sendRequest(`GET /${encodeURIComponent(RELATION)}?limit=0`, { headers })).status);
}

/** Removes the relation and its metadata. */
export function removeRelation(): Promise<void> {
  return asOwner(
    `drop table if exists ${TABLE}`,
    ...["endpoints", "tags"].map((table) => `delete from catalog.${table} where relation = ${quoted(RELATION)}`),
    `delete from catalog.dimensions where source_id = ${quoted(SOURCE)}`,
    `delete from catalog.sources where source_id = ${quoted(SOURCE)}`,
  );
}
