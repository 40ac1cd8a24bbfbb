/** Traefik's rules as text (Traefik docs, "Rules and priority"). */
import type { DataApi } from "../../config/settings.ts";

/** The data API is read only; other methods find no route. */
const DATA_METHODS = ["GET", "HEAD", "OPTIONS"];

/** Always the exact host: a domain that is not enabled must answer 404. */
export function hostIs({ host }: { readonly host: string }): string {
  return `Host(\`${host}\`)`;
}

/**
 * A prefix by whole segments: `/public` is not `/publicity`. Traefik resolves `/public/../x` before it looks for a route; `/public/..;/x` is
 * `/x` only to servers that cut path parameters (Tomcat, Jetty), and is not below the prefix here.
 */
export function pathBelow(path: string): string {
  const below = path.endsWith("/") ? `PathPrefix(\`${path}\`)` : `(Path(\`${path}\`) || PathPrefix(\`${path}/\`))`;
  return `${below} && !PathRegexp(\`/[.][.];\`)`;
}

/**
 * A request that no person sees the answer of: fetch and XHR as browsers mark them (Fetch Metadata), preflights, sockets, and clients that
 * bring credentials of their own. What a client claims here only changes how it is refused.
 */
export function background(): string {
  const signs = {
    "X-Requested-With": "^XMLHttpRequest$",
    "Sec-Fetch-Mode": "^(cors|no-cors|same-origin|websocket)$",
    "Sec-Fetch-Dest": "^empty$",
    "Access-Control-Request-Method": ".",
    Upgrade: "(?i)^websocket$",
    Authorization: ".",
    Accept: "^application/(json|[a-z.-]+[+]json)",
  };
  const rules = Object.entries(signs).map(([header, pattern]) => `HeaderRegexp(\`${header}\`, \`${pattern}\`)`);
  return `(${rules.join(" || ")})`;
}

/**
 * PostgREST answers 406 to a schema that it does not expose, and names those that it does; spec 001 wants 404, which is what a request
 * without a route gets. No header = the default schema.
 */
export function readsExposedSchema({ exposed }: DataApi): string {
  const methods = DATA_METHODS.map((method) => `Method(\`${method}\`)`).join(" || ");
  const schemas = exposed.map((schema) => schema.replaceAll(/\W/g, "\\$&")).join("|");
  const profile = `!HeaderRegexp(\`Accept-Profile\`, \`.*\`) || HeaderRegexp(\`Accept-Profile\`, \`^(${schemas})$\`)`;
  return `(${methods}) && (${profile})`;
}
