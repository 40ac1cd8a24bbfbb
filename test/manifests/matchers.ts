/** Random rules for Traefik, and whether they match one request: a second evaluation, which the parser is compared with. */
import fc from "fast-check";

export type Drawn =
  | { readonly host: string }
  | { readonly pattern: string }
  | { readonly other: string }
  | { readonly not: Drawn }
  | { readonly all: readonly Drawn[] }
  | { readonly any: readonly Drawn[] };

const HOSTS = [
  "a.example.org",
  "b.example.org",
  "A.example.org",
  "whoami.localhost",
  "data.localhost",
  "foreign.localhost",
];
const PATTERNS = [
  "^a[.]",
  "example",
  "^.*$",
  "^[a-z]+[.]localhost$",
  "nothing",
  "(?i)^WHOAMI",
  "^WHOAMI",
  "^$",
  "^(a[.])?$",
];
const OTHERS = ["PathPrefix(`/`)", "Path(`/x`)", "Method(`GET`)", "Header(`X-A`, `b`)", "ClientIP(`10.0.0.0/8`)"];

/** @param hosts names that rules are drawn of */
export const matchersOf = (hosts: readonly string[]): fc.Arbitrary<Drawn> =>
  fc.letrec<{ rule: Drawn }>((tie) => ({
    rule: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.record({ host: fc.constantFrom(...hosts) }),
      fc.record({ pattern: fc.constantFrom(...PATTERNS) }),
      fc.record({ other: fc.constantFrom(...OTHERS) }),
      fc.record({ not: tie("rule") }),
      fc.record({ all: fc.array(tie("rule"), { minLength: 2, maxLength: 3 }) }),
      fc.record({ any: fc.array(tie("rule"), { minLength: 2, maxLength: 3 }) }),
    ),
  })).rule;

export const matchers = matchersOf(HOSTS);

/** As a route contains it. */
export function textOf(drawn: Drawn): string {
  if ("host" in drawn) return `Host(\`${drawn.host}\`)`;
  if ("pattern" in drawn) return `HostRegexp(\`${drawn.pattern}\`)`;
  if ("other" in drawn) return drawn.other;
  if ("not" in drawn) return `!${"host" in drawn.not ? textOf(drawn.not) : `(${textOf(drawn.not)})`}`;
  if ("all" in drawn) return drawn.all.map((one) => ("any" in one ? `(${textOf(one)})` : textOf(one))).join(" && ");
  return drawn.any.map(textOf).join(" || ");
}

/**
 * Whether a request matches.
 * @param others whether its path, headers and so on match each other condition, in the order of the text; missing = no
 */
export function matchesRequest(drawn: Drawn, host: string, others: boolean[]): boolean {
  if ("host" in drawn) return drawn.host.toLowerCase() === host;
  if ("pattern" in drawn) return matches(drawn.pattern, host) || matches(drawn.pattern, "");
  if ("other" in drawn) return others.shift() ?? false;
  if ("not" in drawn) return !matchesRequest(drawn.not, host, others);
  const inner = ("all" in drawn ? drawn.all : drawn.any).map((one) => matchesRequest(one, host, others));
  return "all" in drawn ? inner.every(Boolean) : inner.some(Boolean);
}

function matches(pattern: string, text: string): boolean {
  const bare = pattern.replace("(?i)", "");
  return new RegExp(bare, bare === pattern ? "" : "i").test(text);
}
