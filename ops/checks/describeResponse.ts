import { redactor } from "./redact.ts";
import { type HttpResponse, headerOf } from "../clients/http.ts";

const MAX_TEXT = 300;
/** Headers that distinguish pages and contain no secret; `location` is shown without its query. */
const HEADERS = ["content-type", "www-authenticate", "x-powered-by", "server"];

const redact = redactor([]);

/** Returns what a log needs of an unexpected response: URL, status, some headers and the beginning of the text, without credentials. */
export function describeResponse(response: HttpResponse): string {
  const location = headerOf(response, "location");
  const headers = [
    ...(location === undefined ? [] : [`location: ${withHiddenQuery(location, response.url)}`]),
    ...HEADERS.flatMap((name) => {
      const value = headerOf(response, name);
      return value === undefined ? [] : [`${name}: ${value}`];
    }),
  ];
  const text = textOf(response);
  const parts = [
    `${withHiddenQuery(response.url)} answered ${response.status}`,
    ...headers.map((header) => redact(header)),
  ];
  return `${parts.join(", ")}; ${text === "" ? "no text" : `text: ${text}`}`;
}

/** Returns an address with `?…` in place of its query, which contains codes and states of a sign-in. */
function withHiddenQuery(address: string, base?: string): string {
  const url = URL.parse(address, base);
  if (url === null) return "an address that is not a URL";
  return `${url.origin}${url.pathname}${url.search === "" ? "" : "?…"}`;
}

/** Returns the beginning of the visible text of a response. It is redacted before it is cut, so that no part of a credential remains. */
function textOf({ body }: HttpResponse): string {
  const visible = redact(body)
    .replaceAll(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, " ")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  return visible.length > MAX_TEXT ? `${visible.slice(0, MAX_TEXT)}…` : visible;
}
