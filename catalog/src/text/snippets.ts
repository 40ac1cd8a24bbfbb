import { ACCEPT_PROFILE } from "../api/request.ts";

/** A request: its complete URL, and the schema if it is not the default one. */
interface ExactRequest {
  readonly url: string;
  readonly profile: string | undefined;
}

export const LANGUAGES = ["curl", "JavaScript", "Python", "R"] as const;
export type Language = (typeof LANGUAGES)[number];

// Not a library: docs/decisions/012-own-code.md.

/** Returns the request in a language, ready to run. Each text in it is quoted by the rules of that language. */
export function snippet(language: Language, request: ExactRequest): string {
  switch (language) {
    case "curl":
      return curl(request);
    case "JavaScript":
      return javaScript(request);
    case "Python":
      return python(request);
    case "R":
      return r(request);
  }
}

function curl({ url, profile }: ExactRequest): string {
  const header = profile === undefined ? "" : ` \\\n  --header ${shellText(`${ACCEPT_PROFILE}: ${profile}`)}`;
  return `curl --fail --globoff ${shellText(url)}${header}\n`;
}

function javaScript({ url, profile }: ExactRequest): string {
  const headers = profile === undefined ? "" : `, {\n  headers: { ${text(ACCEPT_PROFILE)}: ${text(profile)} },\n}`;
  return `const response = await fetch(${text(url)}${headers});
if (!response.ok) throw new Error(\`\${response.status} \${await response.text()}\`);
const rows = await response.json();
`;
}

function python({ url, profile }: ExactRequest): string {
  const headers = profile === undefined ? "" : `\n    headers={${text(ACCEPT_PROFILE)}: ${text(profile)}},`;
  return `import requests

response = requests.get(
    ${text(url)},${headers}
    timeout=30,
)
response.raise_for_status()
rows = response.json()
`;
}

function r({ url, profile }: ExactRequest): string {
  const headers = profile === undefined ? "" : ` |>\n  req_headers(${text(ACCEPT_PROFILE)} = ${text(profile)})`;
  return `library(httr2)

rows <- request(${text(url)})${headers} |>
  req_perform() |>
  resp_body_json(simplifyVector = TRUE)
`;
}

/** Returns a string literal of JavaScript, Python and R. */
function text(value: string): string {
  return JSON.stringify(value);
}

function shellText(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`;
}
