/** A small HTTP server with the part of authentik's API that readiness reads. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { LOOKED_UP } from "../../../infra/identity/defaults.ts";

export const TOKEN = "token-canary-5e1f";
export const BLUEPRINT = { path: "gatehouse/settings.yaml", hash: "hash-of-the-settings" };

/** A blueprint as the API lists it. */
interface Blueprint {
  readonly pk: string;
  readonly path: string;
  status: string;
  last_applied_hash: string;
}

export const settings = (fields: Partial<Blueprint> = {}): Blueprint => ({
  pk: "1",
  path: BLUEPRINT.path,
  status: "successful",
  last_applied_hash: BLUEPRINT.hash,
  ...fields,
});

export class ReadinessServer {
  version = "2026.5.2";
  readonly flows = new Set(LOOKED_UP.flows);
  readonly mappings = new Set(LOOKED_UP.mappings);
  readonly keyPairs = new Set([LOOKED_UP.keyPair]);
  blueprints = [settings()];
  readonly groups = ["authentik Admins", "staff"];
  /** Status and body of the next responses, before the API answers. */
  readonly failures: (readonly [status: number, body: string])[] = [];
  /** Status and body of every response. */
  failure: readonly [status: number, body: string] | undefined;
  /** Runs before each poll. */
  beforePoll: () => void = () => undefined;
  /** `GET /flows/instances/?slug=…`, in order. */
  readonly requests: string[] = [];
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  /** @returns origin */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Applies nothing and has nothing yet, as a server that starts. */
  empty(): void {
    for (const set of [this.flows, this.mappings, this.keyPairs]) set.clear();
    this.blueprints = [];
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "", headers } = request;
    const { pathname, searchParams } = new URL(url, "http://localhost");
    const path = pathname.replace("/api/v3", "");
    if (path === "/admin/version/") this.beforePoll();
    this.requests.push(`${method} ${path}`);
    if (`${method} ${path}` === "POST /core/groups/")
      this.groups.push(((await json(request)) as { name: string }).name);
    const [status, body] =
      this.failures.shift() ?? this.failure ?? this.#content(method, path, searchParams, headers.authorization);
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  }

  #content(
    method: string,
    path: string,
    query: URLSearchParams,
    authorization: string | undefined,
  ): readonly [number, string] {
    if (authorization !== `Bearer ${TOKEN}`) return [403, JSON.stringify({ detail: "Authentication failed" })];
    const list = (results: readonly object[]) => [200, JSON.stringify({ pagination: { next: 0 }, results })] as const;
    const applied = /^\/managed\/blueprints\/(\w+)\/apply\/$/.exec(path)?.[1];
    if (applied !== undefined && method === "POST") {
      for (const blueprint of this.blueprints) if (blueprint.pk === applied) blueprint.status = "successful";
      return [200, "{}"];
    }
    switch (path) {
      case "/admin/version/":
        return [200, JSON.stringify({ version_current: this.version })];
      case "/flows/instances/":
        return list([...this.flows].filter((slug) => slug === query.get("slug")).map((slug) => ({ slug })));
      case "/propertymappings/provider/scope/":
        return list([...this.mappings].map((managed) => ({ managed })));
      case "/crypto/certificatekeypairs/":
        return list([...this.keyPairs].filter((name) => name === query.get("name")).map((name) => ({ name })));
      case "/core/groups/": {
        const groups = this.groups.map((name) => ({
          pk: `pk-${name}`,
          name,
          is_superuser: name === "authentik Admins",
        }));
        // A server can ignore case.
        const equal = ({ name }: { name: string }) => name.toLowerCase() === query.get("name")?.toLowerCase();
        return method === "POST" ? [201, "{}"] : list(groups.filter(equal));
      }
      case "/managed/blueprints/":
        return list(this.blueprints.filter((one) => [null, one.path].includes(query.get("path"))));
      default:
        return [404, JSON.stringify({ detail: "Not found." })];
    }
  }
}
