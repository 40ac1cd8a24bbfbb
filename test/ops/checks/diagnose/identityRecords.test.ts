import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { observeIdentity } from "../../../../ops/checks/diagnose/evidence/identity.ts";
import { inside } from "./evidence.ts";

const TOKEN = "token-canary-77d0";
/** The largest page of the real API. */
const MAX_PAGE = 100;

const requests: string[] = [];
const LISTS: Readonly<Record<string, readonly object[]>> = {
  "/providers/proxy/": Array.from({ length: 250 }, (_, index) => ({
    pk: index + 1,
    name: `service-${index}-mesh`,
    mode: "forward_single",
    external_host: `https://service-${index}.mesh.example.org`,
    access_token_validity: "hours=12",
    authorization_flow: "flow",
  })),
  "/core/applications/": [{ pk: "uuid-1", slug: "service-0-mesh", name: "Service 0", provider: 1 }],
  "/outposts/instances/": [
    {
      pk: "a",
      managed: "goauthentik.io/outposts/embedded",
      name: "authentik Embedded Outpost",
      providers: [],
      config: { authentik_host: "" },
    },
    {
      pk: "b",
      managed: null,
      name: "gatehouse-outpost-all-users-12345678",
      providers: [1],
      config: { authentik_host: "https://sso.test" },
    },
  ],
};

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
  const path = pathname.replace("/api/v3", "");
  requests.push(`${path}?${searchParams.toString()}`);
  response.writeHead(request.headers.authorization === `Bearer ${TOKEN}` ? 200 : 403, {
    "content-type": "application/json",
  });
  if (path === "/core/users/me/") return void response.end(JSON.stringify({ user: { is_superuser: true } }));
  const all = path === "/core/applications/" && searchParams.get("superuser_full_list") !== "true" ? [] : LISTS[path];
  const size = Math.min(MAX_PAGE, Number(searchParams.get("page_size")));
  const from = (Number(searchParams.get("page")) - 1) * size;
  const results = (all ?? []).slice(from, from + size);
  const next = from + size < (all ?? []).length ? Number(searchParams.get("page")) + 1 : 0;
  response.end(JSON.stringify({ pagination: { next }, results }));
});
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

test("reads every page of the largest size that the API returns", async () => {
  const { proxies } = inside(await observeIdentity(url, { value: TOKEN }));
  expect([proxies.length, new Set(proxies.map(({ pk }) => pk)).size]).toEqual([250, 250]);
  expect(requests.filter((request) => request.startsWith("/providers/proxy/"))).toEqual(
    [1, 2, 3].map((page) => `/providers/proxy/?page=${page}&page_size=100`),
  );
});

test("reads all applications, not only those that the token's user may access", async () => {
  const { applications } = inside(await observeIdentity(url, { value: TOKEN }));
  const defaults = { meta_description: "", policy_engine_mode: "any" };
  expect(applications).toEqual([{ pk: "uuid-1", slug: "service-0-mesh", name: "Service 0", provider: 1, ...defaults }]);
});

test("reads the providers and the browsers' origin of each outpost", async () => {
  const { outposts } = inside(await observeIdentity(url, { value: TOKEN }));
  expect(outposts).toEqual(LISTS["/outposts/instances/"]);
});

test("reports a refused token without the token", async () => {
  const observed = await observeIdentity(url, { value: "token-canary-wrong" });
  expect(JSON.stringify(observed)).toContain("403");
  expect(JSON.stringify(observed)).not.toContain("canary");
});
