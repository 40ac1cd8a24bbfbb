import { redactor } from "./redact.ts";
import { type Answer, headerOf } from "../clients/http.ts";

const MAX_TEXT = 300;
/** Headers that distinguish pages and contain no secret; `location` is shown without its query. */
const HEADERS = ["content-type", "www-authenticate", "x-powered-by", "server"];

const redact = redactor([]);

/** Returns what a log needs of an unexpected answer: URL, status, some headers and the beginning of the text, without credentials. */
export function describeAnswer(answer: Answer): string {
  const location = headerOf(answer, "location");
  const headers = [
    ...(location === undefined ? [] : [`location: ${withoutQuery(location, answer.url)}`]),
    ...HEADERS.flatMap((name) => {
      const value = headerOf(answer, name);
      return value === undefined ? [] : [`${name}: ${value}`];
    }),
  ];
  const text = textOf(answer);
  const parts = [`${withoutQuery(answer.url)} answered ${answer.status}`, ...headers.map((header) => redact(header))];
  return `${parts.join(", ")}; ${text === "" ? "no text" : `text: ${text}`}`;
}

/** A query contains codes and states of a sign-in. */
function withoutQuery(address: string, base?: string): string {
  const url = URL.parse(address, base);
  if (url === null) return "an address that is not a URL";
  return `${url.origin}${url.pathname}${url.search === "" ? "" : "?…"}`;
}

/** Redacted before it is cut, so that no part of a credential remains. */
function textOf({ body }: Answer): string {
  const visible = redact(body)
    .replaceAll(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, " ")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  return visible.length > MAX_TEXT ? `${visible.slice(0, MAX_TEXT)}…` : visible;
}
