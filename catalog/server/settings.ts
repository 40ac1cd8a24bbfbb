import { type Limits, limitsFrom } from "../../config/sections/dataApi/limits.ts";

/** What the catalog's server reads from its environment; the stack sets it (infra/data/catalog.ts). */
export interface Settings {
  /** Address to listen on. */
  readonly host: string;
  readonly port: number;
  /** Where the catalog begins; starts and ends with a slash. */
  readonly basePath: string;
  /** Address of the data API that a browser of each host reads, by host as in the Host header. */
  readonly baseUrls: ReadonlyMap<string, string>;
  /** For every other host. */
  readonly defaultBaseUrl: string;
  readonly limits: Limits;
}

/**
 * @param environment HOST, PORT, BASE_PATH, BASE_URLS (a JSON object from host to address), and what has no
 *   default: DEFAULT_BASE_URL and LIMITS (a JSON object, see config/sections/dataApi/limits.ts)
 * @throws Error naming the variable that is wrong
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const { HOST = "0.0.0.0", PORT = "8080", BASE_PATH = "/", BASE_URLS = "{}", DEFAULT_BASE_URL } = environment;
  if (!/^\d{1,5}$/.test(PORT)) throw new Error("PORT is not a port; write it like 8080");
  if (!/^\/([\w.~-]+\/)*$/.test(BASE_PATH)) throw new Error("BASE_PATH is not a plain path; write it like /explore/");
  if (DEFAULT_BASE_URL === undefined) throw new Error("DEFAULT_BASE_URL is missing; give the data API's address");
  return {
    host: HOST,
    port: Number(PORT),
    basePath: BASE_PATH,
    baseUrls: new Map(Object.entries(parseBaseUrls(BASE_URLS)).map(([host, url]) => [host, address("BASE_URLS", url)])),
    defaultBaseUrl: address("DEFAULT_BASE_URL", DEFAULT_BASE_URL),
    limits: parseLimits(environment["LIMITS"] ?? ""),
  };
}

function parseBaseUrls(text: string): Record<string, unknown> {
  return parseObject("BASE_URLS", text, '{"catalog.example.org":"https://data.example.org"}');
}

function parseLimits(text: string): Limits {
  const given = parseObject("LIMITS", text, '{"maxRows":1000,"exactCountRows":1000000}, with all limits');
  return limitsFrom((name) => {
    const value = given[name];
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
    throw new Error(`LIMITS has no whole number for ${name}; write it like "${name}":1000`);
  });
}

function parseObject(variable: string, text: string, example: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
  } catch {
    // Reported below, without the parser's message.
  }
  throw new Error(`${variable} is not a JSON object; write it like ${example}`);
}

/** The value becomes part of a header, so anything but a plain address is rejected. */
function address(variable: string, value: unknown): string {
  const url = typeof value === "string" && /^https?:\/\/[^\s;,'"]+$/.test(value) ? URL.parse(value) : null;
  if (url === null)
    throw new Error(
      `${variable} has a value that is not an http or https address; write it like https://data.example.org`,
    );
  return url.href.replace(/\/$/, "");
}
