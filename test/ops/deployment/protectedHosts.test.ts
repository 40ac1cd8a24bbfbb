import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { protectedUrls, requestHosts, hostStateOf } from "../../../ops/deployment/protectedHosts.ts";
import { accessOf } from "../../../infra/access/access.ts";
import { accessIn, recordOf } from "../../../infra/access/record.ts";
import { basic, oauth2, proxy } from "../../config/stacks.ts";
import { planOf } from "../../infra/plan/stacks.ts";

const LOGIN = "http://authentik.localhost/application/o/authorize/?client_id=x";

test.each([
  [302, LOGIN, "closed"],
  [401, "", "closed"],
  [403, "", "closed"],
  [429, "", "unreachable"],
  [500, "", "closed"],
  [502, "", "closed"],
  [200, "", "open"],
  [204, "", "open"],
  [302, "http://wiki.localhost/start", "open"],
  [302, "http://wiki.localhost/x?next=/application/o/authorize/", "open"],
  [400, "", "open"],
  [404, "", "open"],
] as const)("classifies a response: %i %s is %s", (status, location, state) => {
  expect(hostStateOf({ status, headers: { location }, body: "" })).toBe(state);
});

const text = { "content-length": "19", "content-type": "text/plain; charset=utf-8" };
const [date, sniff] = [{ date: "Wed, 25 Nov 2026 19:00:00 GMT" }, { "x-content-type-options": "nosniff" }];
test.each([
  ["Traefik", { ...text, ...sniff, ...date }, "closed"],
  ["Traefik behind a proxy that adds headers", { ...text, ...sniff, ...date, server: "cloudflare" }, "closed"],
  ["an application in Go", { ...text, ...date, ...sniff }, "open"],
])("classifies a 404 of %s", (_, headers, state) => {
  expect(hostStateOf({ status: 404, headers, body: "404 page not found\n" })).toBe(state);
});

test("classifies the response of an outpost that does not serve the host yet as closed", () => {
  const body = '{\n\t"Message": "no app for hostname",\n\t"Host": "wiki.localhost",\n\t"Detail": "..."\n}';
  expect(hostStateOf({ status: 400, headers: {}, body })).toBe("closed");
});

test("requests each host once that is protected before or after the deployment", () => {
  const before = planOf(
    { localhost: true },
    basic({ name: "gone" }),
    proxy({ name: "stays", application_slug: "stays" }),
  );
  const after = planOf(
    { localhost: true },
    proxy({ name: "stays", application_slug: "stays", public_paths: ["/health"] }),
    oauth2({ name: "open", application_slug: "open", enforce: "application" }),
  );
  const urls = protectedUrls([accessIn(recordOf(accessOf(before)))], accessOf(after));
  expect(urls.filter((url) => !url.includes("whoami-"))).toEqual([
    "http://gone.localhost",
    "http://stays.localhost",
    "http://stays.localhost/health",
  ]);
  expect(protectedUrls([], accessOf(planOf({ localhost: true })))).toEqual([]);
});

describe("public paths", () => {
  const plan = (...services: (readonly string[])[]) =>
    accessOf(
      planOf(
        { localhost: true },
        ...services.map((paths, index) =>
          proxy({ name: `s${index}`, application_slug: `s${index}`, public_paths: paths }),
        ),
      ),
    );
  const requested = (...[before, planned]: Parameters<typeof protectedUrls>): string[] =>
    protectedUrls(before, planned).filter((url) => !url.includes("whoami-"));

  test("requests each path that is public in one deployment and needs a session in another", () => {
    expect(requested([plan(["/kept", "/closed"]), plan(["/kept", "/failed"])], plan(["/kept", "/new"]))).toEqual([
      "http://s0.localhost",
      "http://s0.localhost/closed",
      "http://s0.localhost/failed",
      "http://s0.localhost/new",
    ]);
  });

  test("requests no planned path of a host that is new", () => {
    const planned = plan(["/kept"], ["/new"]);
    const hosts = ["http://s0.localhost", "http://s1.localhost"];
    expect(requested([plan(["/kept"])], planned)).toEqual(hosts);
    expect(requested([], planned)).toEqual(hosts);
    expect(requested([planned], planned)).toEqual(hosts);
  });

  test("requests each path of a failed deployment whose host is reverted", () => {
    const failed = plan([], ["/failed"]);
    const urls = ["http://s0.localhost", "http://s1.localhost", "http://s1.localhost/failed"];
    expect(requested([plan([]), failed], plan([]))).toEqual(urls);
    expect(requested([failed], plan([], []))).toEqual(urls);
  });
});

test("does not request a host whose root is public", () => {
  const plan = planOf({ localhost: true }, proxy({}));
  const exposures = plan.exposures.map((exposure) => ({ ...exposure, publicPaths: ["/"] }));
  expect(protectedUrls([], accessOf({ ...plan, exposures }))).toEqual([]);
});

test("ends the requests at Ctrl-C, and sends them after it", async () => {
  const abort = new AbortController();
  const isSilent = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    if (request.url !== "/closed") return isSilent.resolve();
    // The client has the whole response when it closes the connection.
    request.socket.once("close", () => void isSilent.promise.then(() => abort.abort("SIGINT")));
    response.writeHead(401, { connection: "close" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => server.close().closeAllConnections());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await requestHosts([`${origin}/closed`, `${origin}/silent`], abort.signal)).toEqual([
    { url: `${origin}/closed`, state: "closed", answered: "401" },
    { url: `${origin}/silent`, state: "unreachable", answered: "interrupted" },
  ]);
  expect(await requestHosts([`${origin}/closed`], abort.signal)).toMatchObject([{ state: "closed" }]);
});
