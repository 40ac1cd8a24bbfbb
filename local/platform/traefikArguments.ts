/**
 * Static options of Traefik with which metrics count every route, and the access log contains user and service but no token. They belong to
 * the installation of Traefik: docs/observability.md has them for Helm and k3s, and the local platform uses them.
 */

/** Fields of a line (doc.traefik.io, "Logs and access logs"); all others are dropped, among them the addresses with port and the retries. */
const FIELDS = [
  "StartUTC",
  "ClientHost",
  "RequestMethod",
  "RequestHost",
  "RequestPath",
  "RequestProtocol",
  "DownstreamStatus",
  "DownstreamContentSize",
  "OriginStatus",
  "Duration",
  "RouterName",
  "ServiceName",
];

/** JSON lines without query strings (since 3.7.3, the oldest that Gatehouse accepts), cookies or credentials. */
export const ACCESS_LOG = {
  format: "json",
  fields: {
    defaultMode: "drop",
    names: Object.fromEntries(FIELDS.map((name) => [name, "keep"])),
    queryParameters: { defaultMode: "drop" },
    // Set by forward auth and basic auth, and removed from each request of a client. ClientUsername is dropped: a client can send any name in it.
    headers: { defaultMode: "drop", names: { "X-Idp-Username": "keep" } },
  },
} as const;

/** What the gateway answers by itself (401, 429, 503) is counted by route alone, never by service. */
export const METRICS = { prometheus: { addRoutersLabels: true } } as const;

/** The same as command-line arguments of Traefik. */
export function traefikArguments(): string[] {
  return ["--accesslog=true", ...flat("--accesslog", ACCESS_LOG), ...flat("--metrics", METRICS)];
}

function flat(prefix: string, options: object): string[] {
  return Object.entries(options).flatMap(([key, value]: [string, unknown]) => {
    const name = `${prefix}.${key.toLowerCase()}`;
    return typeof value === "object" && value !== null ? flat(name, value) : [`${name}=${String(value)}`];
  });
}
