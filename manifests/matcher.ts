/** Traefik's rules as a tree, and the hosts that a rule can match (Traefik docs, "Rules and priority"). An unknown matcher matches every host. */

export type Matcher =
  | { readonly is: "call"; readonly name: string; readonly values: readonly string[] }
  | { readonly is: "not"; readonly of: Matcher }
  | { readonly is: "and" | "or"; readonly left: Matcher; readonly right: Matcher };

/** Matchers of a host; `HostSNI` is that of TCP routes, `HostHeader` the old name of `Host`. */
const HOST_NAMES = new Set(["host", "hostheader", "hostsni"]);
const HOST_PATTERNS = new Set(["hostregexp", "hostsniregexp"]);

/** Parses the matcher of a rule. @returns undefined for an invalid rule, which Traefik does not load */
export function parseMatcher(text: string): Matcher | undefined {
  const tokens = tokensOf(text);
  const parsed = tokens && readOr(tokens, 0);
  return parsed?.next === tokens?.length ? parsed?.matcher : undefined;
}

/** Texts, and matchers of headers and queries up to their `)`, also in the syntax of Traefik 2. A text can lack its end. */
const TEXT = /`[^`]*(?:`|$)|"(?:[^"\\]|\\.)*(?:"|$)/g;
const TEXT_OR_VALUES = new RegExp(
  `${TEXT.source}|\\b(?:headers?|query)(?:regexp)?\\s*\\((?:[^\`")]|${TEXT.source})*`,
  "gi",
);

/** Returns a rule as messages show it: without the values of headers and queries, which can be secrets, e.g. of a header that only a CDN sends. */
export function withoutValues(rule: string): string {
  return rule.replace(TEXT_OR_VALUES, (found) => {
    const first = found.search(/[`"]/);
    if (first === 0) return found;
    return found.replace(TEXT, (text, at: number) => {
      const quote = text.slice(0, 1);
      // Traefik 2 has `name=value` in one text.
      return at === first ? text.replace(/=.*/s, `=…${quote}`) : `${quote}…${quote}`;
    });
  });
}

/** Returns whether a rule means the same in the syntax of Traefik 2: it has no patterns of hosts, whose form changed, and no negation of one. */
export function isSameInSyntax2(matcher: Matcher): boolean {
  switch (matcher.is) {
    case "call":
      return (
        !HOST_PATTERNS.has(matcher.name) &&
        !(HOST_NAMES.has(matcher.name) && matcher.values.some((value) => value.includes("*")))
      );
    case "not":
      return isSameInSyntax2(matcher.of);
    default:
      return isSameInSyntax2(matcher.left) && isSameInSyntax2(matcher.right);
  }
}

/**
 * Returns whether a rule can match a request for a host with any path, headers and sender. Returns true if that is uncertain.
 * @param host lower-case, without a port
 */
export function mayServe(matcher: Matcher | undefined, host: string): boolean {
  return matcher === undefined || truth(matcher, (call) => hostTruth(call, host)) !== false;
}

/** Returns the hosts in a rule; undefined if it can match others, too. */
export function namedHosts(matcher: Matcher | undefined): ReadonlySet<string> | undefined {
  switch (matcher?.is) {
    case "call":
      return HOST_NAMES.has(matcher.name) && !matcher.values.some((value) => value.includes("*"))
        ? new Set(matcher.values.map(plainHost))
        : undefined;
    case "and": {
      const [left, right] = [namedHosts(matcher.left), namedHosts(matcher.right)];
      return left && right ? left.intersection(right) : (left ?? right);
    }
    case "or": {
      const [left, right] = [namedHosts(matcher.left), namedHosts(matcher.right)];
      return left && right && left.union(right);
    }
    default:
      return undefined;
  }
}

/** Returns a host as Traefik compares it: in lower case, without the root's dot. */
export function plainHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}

/** Evaluates a matcher in Kleene's logic; undefined = it depends on what is not known. */
export function truth(
  matcher: Matcher,
  of: (call: Extract<Matcher, { is: "call" }>) => boolean | undefined,
): boolean | undefined {
  if (matcher.is === "call") return of(matcher);
  if (matcher.is === "not") {
    const inner = truth(matcher.of, of);
    return inner === undefined ? undefined : !inner;
  }
  const [left, right] = [truth(matcher.left, of), truth(matcher.right, of)];
  const decisive = matcher.is === "or";
  if (left === decisive || right === decisive) return decisive;
  return left === undefined || right === undefined ? undefined : !decisive;
}

function hostTruth({ name, values }: Extract<Matcher, { is: "call" }>, host: string): boolean | undefined {
  if (HOST_NAMES.has(name)) return values.some((value) => isHost(plainHost(value), host));
  if (!HOST_PATTERNS.has(name)) return undefined;
  const answers = values.map((pattern) => patternTruth(pattern, host));
  return answers.includes(true) ? true : answers.includes(undefined) ? undefined : false;
}

/** Returns whether a name is that of a host. @param name a host, or one with a star for its first part */
export function isHost(name: string, host: string): boolean {
  return name === host || name === "*" || (name.startsWith("*.") && host.endsWith(name.slice(1)));
}

/**
 * Returns undefined where the answer depends on the request: a pattern is case-sensitive and is also compared with the host and the root's dot, and
 * with the flattened CNAME or the server name, which are empty by default and without TLS (traefik v3.7, pkg/muxer, `hostRegexp`, `hostSNIRegexp`).
 * Only what Go's expressions and JavaScript's have in common is judged. Escapes such as `\A`, named groups, POSIX classes and brackets that
 * begin with `]` mean different things; so do letters outside of ASCII, which Go folds into ASCII ones.
 */
function patternTruth(pattern: string, host: string): boolean | undefined {
  const bare = pattern.replace(/^\(\?i\)/, "");
  const common = /^[\x20-\x7e]*$/.test(bare) && !/\\[^.\-dwb\\]|\(\?(?!:)|\[:|\[\^?\]|[{}]/.test(bare);
  if (!common) return undefined;
  try {
    const expressions = (bare === pattern ? ["", "i"] : ["i"]).map((flags) => new RegExp(bare, flags));
    const answers = new Set(expressions.flatMap((one) => [host, `${host}.`, ""].map((text) => one.test(text))));
    return answers.size === 1 ? answers.has(true) : undefined;
  } catch {
    return undefined;
  }
}

interface Token {
  readonly kind: "name" | "text" | "sign";
  readonly text: string;
}

const TOKEN = /\s*(?:(?<name>[A-Za-z]+)|`(?<raw>[^`]*)`|(?<quoted>"(?:[^"\\]|\\.)*")|(?<sign>&&|\|\||[!(),]))\s*/y;

function tokensOf(text: string): Token[] | undefined {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const found = TOKEN.exec(text)?.groups;
    if (found === undefined) return undefined;
    const quoted = found["quoted"] === undefined ? undefined : unquoted(found["quoted"]);
    if (found["quoted"] !== undefined && quoted === undefined) return undefined;
    // Go drops carriage returns in raw strings.
    const value = found["raw"]?.replaceAll("\r", "") ?? quoted;
    if (value !== undefined) tokens.push({ kind: "text", text: value });
    else
      tokens.push({ kind: found["name"] === undefined ? "sign" : "name", text: found["name"] ?? found["sign"] ?? "" });
  }
  return tokens;
}

/** Returns the text of a Go string; undefined if it has escapes that JSON does not have. */
function unquoted(text: string): string | undefined {
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
}

/** What was read, and where it ended. */
interface Read {
  readonly matcher: Matcher;
  readonly next: number;
}

function readOr(tokens: readonly Token[], at: number): Read | undefined {
  return readJoined(tokens, at, "||", "or", (from) =>
    readJoined(tokens, from, "&&", "and", (one) => readOne(tokens, one)),
  );
}

function readJoined(
  tokens: readonly Token[],
  at: number,
  sign: string,
  is: "and" | "or",
  operand: (at: number) => Read | undefined,
): Read | undefined {
  let read = operand(at);
  while (read && tokens[read.next]?.text === sign && tokens[read.next]?.kind === "sign") {
    const right = operand(read.next + 1);
    if (right === undefined) return undefined;
    read = { matcher: { is, left: read.matcher, right: right.matcher }, next: right.next };
  }
  return read;
}

function readOne(tokens: readonly Token[], at: number): Read | undefined {
  const token = tokens[at];
  if (isSign(token, "!")) {
    const read = readOne(tokens, at + 1);
    return read && { matcher: { is: "not", of: read.matcher }, next: read.next };
  }
  if (isSign(token, "(")) {
    const read = readOr(tokens, at + 1);
    return read && isSign(tokens[read.next], ")") ? { ...read, next: read.next + 1 } : undefined;
  }
  return token?.kind === "name" ? readCall(tokens, at) : undefined;
}

function readCall(tokens: readonly Token[], at: number): Read | undefined {
  if (!isSign(tokens[at + 1], "(")) return undefined;
  const values: string[] = [];
  let next = at + 2;
  while (tokens[next]?.kind === "text") {
    values.push(tokens[next]?.text ?? "");
    next += isSign(tokens[next + 1], ",") ? 2 : 1;
  }
  if (!isSign(tokens[next], ")") || values.length === 0) return undefined;
  return { matcher: { is: "call", name: tokens[at]?.text.toLowerCase() ?? "", values }, next: next + 1 };
}

function isSign(token: Token | undefined, text: string): boolean {
  return token?.kind === "sign" && token.text === text;
}
