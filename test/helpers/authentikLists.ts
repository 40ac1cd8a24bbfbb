import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

type Fields = Readonly<Record<string, unknown>>;

/** Filters that authentik 2026.5 declares for each list (`filterset_fields`, `FilterSet`), as far as tests need them. */
const FILTERS: Readonly<Record<string, readonly string[]>> = {
  "/core/applications/": ["name", "slug"],
  "/core/groups/": ["name"],
  "/core/tokens/": ["identifier"],
  "/core/users/": ["username"],
  "/flows/instances/": ["slug"],
  "/managed/blueprints/": ["name", "path"],
  "/outposts/instances/": ["name__iexact", "managed__iexact"],
  "/policies/bindings/": ["target", "order", "enabled"],
  "/policies/expression/": ["name", "execution_logging"],
  "/propertymappings/provider/scope/": ["name", "managed", "scope_name"],
  "/providers/oauth2/": ["name"],
  "/providers/proxy/": ["name__iexact", "external_host__iexact"],
};
/** Filters that authentik refuses if no object has the value: those that name another object (`ModelChoiceFilter`, `AllValuesMultipleFilter`). */
const REFERENCES = ["target", "managed"];
const MAX_PAGE_SIZE = 100;
const DEFAULT_PAGE_SIZE = 20;

export interface AuthentikLists {
  readonly url: string;
  /** Paths with queries, in the order of the requests. */
  readonly requests: readonly string[];
  readonly close: () => void;
}

/**
 * Starts a server that answers lists as authentik does: it ignores undeclared filters, refuses those that name an object which does not exist,
 * returns at most 100 objects on a page, and lists only the applications with `accessible` unless `superuser_full_list` is true.
 * @param lists by path below `/api/v3`; a list that is left out is empty
 * @param superuser whether the token is a superuser's; the lists of other users are not emulated
 */
export async function startAuthentikLists(
  lists: Readonly<Record<string, readonly Fields[]>>,
  superuser = true,
): Promise<AuthentikLists> {
  const objects: Readonly<Record<string, Fields>> = {
    "/admin/version/": { version_current: "2026.5.0" },
    "/core/users/me/": { user: { is_superuser: superuser } },
  };
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    const path = pathname.replace("/api/v3", "");
    requests.push(request.url?.replace("/api/v3", "") ?? "");
    const refused = refusal(path, searchParams);
    const answer = refused ?? objects[path] ?? page(path, searchParams);
    response.writeHead(refused ? 400 : answer ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? { detail: "Not found." }));
  });
  const refusal = (path: string, query: URLSearchParams): Fields | undefined => {
    const applications = lists["/core/applications/"] ?? [];
    const exists = (name: string, value: string) =>
      applications.some(({ pk }) => pk === value) || (lists[path] ?? []).some((object) => object[name] === value);
    const unknown = [...query].find(
      ([name, value]) => FILTERS[path]?.includes(name) && REFERENCES.includes(name) && !exists(name, value),
    );
    const message = "Select a valid choice. That choice is not one of the available choices.";
    return unknown && { [unknown[0]]: [message] };
  };
  const page = (path: string, query: URLSearchParams): Fields | undefined => {
    const declared = FILTERS[path];
    if (!declared) return undefined;
    const used = [...query].filter(([name]) => declared.includes(name));
    const full = path !== "/core/applications/" || query.get("superuser_full_list") === "true";
    const objects = (lists[path] ?? [])
      .filter((object) => full || object["accessible"] === true)
      .filter((object) => used.every(([name, value]) => matches(object, name, value)));
    const size = Math.min(Number(query.get("page_size") ?? DEFAULT_PAGE_SIZE), MAX_PAGE_SIZE);
    const current = Number(query.get("page") ?? 1);
    const next = current * size < objects.length ? current + 1 : 0;
    return { pagination: { next }, results: objects.slice((current - 1) * size, current * size) };
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, requests, close: () => void server.close() };
}

function matches(object: Fields, filter: string, value: string): boolean {
  const [field = "", lookup] = filter.split("__");
  const found = String(object[field]);
  return lookup === "iexact" ? found.toLowerCase() === value.toLowerCase() : found === value;
}
