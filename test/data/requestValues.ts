/** Valid, invalid and malicious values for generated requests. */
import fc from "fast-check";

const many = (text: string): string[] => text.trim().split(/\s+/);

export const OPERATORS = many(`
  eq neq gt gte lt lte like ilike match imatch in is isdistinct fts plfts phfts wfts cs cd ov sl sr nxr nxl adj
  eq neq gt gte lt lte like ilike match imatch in is not.eq not.in not.is eq(any) like(all) fts(english)`);

const VALUES = [
  ...many(
    `1 0 -1 null true unknown not_null NaN Infinity -9223372036854775809 1e309 0x10 1_000 infinity now 2024-02-30`,
  ),
  ...many(`(1,2,3) ( () (,) ("a,b",")") {a,b} { {"a":1} [1,5) [ empty * % %% _ \\ \\\\ ' '' " $1 $$ ../.. \${x}`),
  ...many(
    `';drop/**/table/**/marts.dim_fylke;-- 1)or(1=1 /* (a+)+$ (((((a*)*)*)*)*)*b [[:<:]] \\1 ^(?=a) a{1000} a&!b a<->b :*`,
  ),
  ...many(`ø 漢字 \u202e \ud83d\ude00 İ \u0301 english`),
  "\u0000",
  "a\r\nX-Injected: 1",
  "\t",
  " ",
  "\ufeff",
  "9".repeat(400),
  "a".repeat(3_000),
  "(a|a)*".repeat(50),
];

/** Names of objects that are not exposed or do not exist. */
export const UNEXPOSED_NAMES = [
  ...many(`secret_person private_marts.secret_person private_raw secret_name person pg_authid pg_catalog.pg_class`),
  ...many(`information_schema.tables gatehouse.pre_request rpc/document rpc/pre_request catalog.sources .. . * nope`),
  "",
];

export const CASTS = many(`::text ::integer ::json ::regclass ::nothing ::text[] ::private_marts.secret_person`);

export const anyValue: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...VALUES) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
  { weight: 1, arbitrary: fc.bigInt().map(String) },
  { weight: 1, arbitrary: fc.double().map(String) },
);

const hex = (code: number): string => `%${code.toString(16).padStart(2, "0")}`;
const plain = (text: string): string => encodeURIComponent(text.toWellFormed());

/** Encodings of a text: correct, by UTF-8 bytes, by Latin-1 bytes, twice, incomplete, and with an incomplete escape. */
const ENCODINGS: readonly ((text: string) => string)[] = [
  plain,
  (text) => [...Buffer.from(text)].map(hex).join(""),
  (text) => [...Buffer.from(text, "latin1")].map(hex).join(""),
  (text) => plain(plain(text)),
  (text) => text.toWellFormed().replaceAll(/[\s#&?]/g, "+"),
  (text) => `${plain(text)}%`,
];

/** Usually the correct encoding. */
export const anyEncoding: fc.Arbitrary<(text: string) => string> = fc.oneof(
  { weight: 7, arbitrary: fc.constant(plain) },
  { weight: 3, arbitrary: fc.constantFrom(...ENCODINGS) },
);

/** Usually one of `these`, sometimes one of `those`. */
export function often(these: readonly string[], those: readonly string[]): fc.Arbitrary<string> {
  const [usual, unusual] = [fc.constantFrom(...these), fc.constantFrom(...those)];
  return fc.oneof({ weight: 14, arbitrary: usual }, { weight: 1, arbitrary: unusual });
}

const FORMS = many(`*/* text/csv application/json application/vnd.pgrst.object+json application/vnd.pgrst.plan a/b ;`);
const PREFERENCES = many(`
  count=exact count=planned count=estimated handling=strict,nope=1 timezone=Nowhere/Land timezone=Europe/Oslo
  max-affected=1 tx=commit return=representation`);
const RANGES = many(`0-4 5- -5 9-1 99999999999999999999- bytes=0-4 0-0,2-3 a-b`);
const OTHERS = many(`
  Authorization If-None-Match If-Modified-Since Range-Unit Content-Profile X-Forwarded-For Cookie Prefer Accept
  Accept-Language X-HTTP-Method-Override`);

/** Generates header lines: the schema, and up to three others. */
export function anyHeaders(schema: string): fc.Arbitrary<[string, string][]> {
  const named = (name: string, values: readonly string[]) =>
    fc.constantFrom(...values).map((value): [string, string] => [name, value]);
  // A control character would end the line, or the request.
  const value = anyValue.map((text) => text.replaceAll(/\p{Cc}/gu, " "));
  const line = fc.oneof(
    named("Accept", FORMS),
    named("Prefer", PREFERENCES),
    named("Range", RANGES),
    fc.tuple(fc.constantFrom(...OTHERS), value),
  );
  const profile = often([schema], ["api_v1", "private_marts", "gatehouse_openapi", "marts,raw"]);
  const lines = fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(line, { maxLength: 3 }));
  return fc.tuple(profile, lines).map(([name, others]) => [["Accept-Profile", name], ...others]);
}
