import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Exposure } from "../../../infra/plan/types.ts";
import { waitForOutposts } from "../../../ops/deployment/outposts.ts";

const SSO = "http://authentik.localhost";
/** An outpost's redirect to the login page, with the callback on the requested host. */
const LOGIN = "login";

/** A status, the target of a redirect, "reset", or that login. */
type Answer = number | string;

function login(host: string): string {
  const query = { client_id: "x", redirect_uri: `http://${host}/outpost.goauthentik.io/callback` };
  return `${SSO}/application/o/authorize/?${new URLSearchParams(query).toString()}`;
}

/** Starts a gateway that gives each host its responses in turn, and the last one again and again. */
async function gateway(answers: Readonly<Record<string, readonly Answer[]>>): Promise<{
  readonly plan: Parameters<typeof waitForOutposts>[0];
  readonly requests: string[];
  readonly urlOf: (host: string) => string;
}> {
  const left = new Map(Object.entries(answers).map(([host, given]) => [host, [...given]]));
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const address = request.headers.host ?? "";
    const [host = ""] = address.split(".");
    requests.push(host);
    const given = left.get(host) ?? [];
    const answer = given.length > 1 ? given.shift() : given[0];
    if (answer === "reset") request.socket.destroy();
    else if (typeof answer === "number") response.writeHead(answer).end();
    else if (answer === LOGIN) response.writeHead(302, { location: login(address) }).end();
    else response.writeHead(302, { location: answer ?? "" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const urlOf = (host: string): string => `http://${host}.localhost:${port}`;
  const exposures = Object.keys(answers).map((host) => ({
    url: urlOf(host),
    authentication: host === "open" ? "none" : "forward-auth",
  })) as Exposure[];
  return { plan: { exposures, identityProviderUrl: SSO }, requests, urlOf };
}

test("polls each host behind forward auth until it redirects to the login page", async () => {
  const { plan, requests } = await gateway({
    ready: [LOGIN],
    loading: [404, 400, LOGIN],
    failing: [503, 503, LOGIN],
    elsewhere: ["http://localhost/application/o/authorize/", LOGIN],
    replacing: [login("removed.localhost"), LOGIN],
    unprotected: [200, LOGIN],
    cut: ["reset", LOGIN],
    open: [200],
  });
  const reports: string[] = [];
  expect(await waitForOutposts(plan, (detail) => void reports.push(detail), { timeout: 60_000, interval: 10 })).toEqual(
    [],
  );
  const counts = [...Map.groupBy(requests, (host) => host)].map(([host, each]) => [host, each.length]);
  expect(Object.fromEntries(counts)).toEqual({
    ready: 1,
    loading: 3,
    failing: 3,
    elsewhere: 2,
    replacing: 2,
    unprotected: 2,
    cut: 2,
  });
  expect([reports.length, reports[0], reports.at(-1)]).toEqual([
    8,
    "7 of 7 hosts are still missing",
    "0 of 7 hosts are still missing",
  ]);
});

test("returns the hosts that are missing after the timeout, and stops polling them", async () => {
  const hosts = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`host-${index}`, [404]]));
  const { plan, requests, urlOf } = await gateway(hosts);
  expect(await waitForOutposts(plan, () => undefined, { timeout: 200, interval: 5 })).toEqual(
    Object.keys(hosts).map(urlOf),
  );
  const before = requests.length;
  await new Promise((resolve) => setTimeout(resolve, 200));
  // A request that was sent before the end may arrive after it.
  expect(requests.length - before).toBeLessThanOrEqual(16);
});
