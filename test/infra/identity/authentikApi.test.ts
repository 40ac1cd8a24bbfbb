/** Retries are in test/infra/apiRetry.live.test.ts, for every client. */
import { createServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { selfSigned } from "../../../emulators/authentik/certificate.ts";
import {
  type AuthentikApi,
  once,
  StatusError,
  UntrustedError,
  withAuthentik,
} from "../../../infra/identity/authentikApi.ts";

const TOKEN = "token-canary-77b1";

/** Runs work with a server that responds in this way. */
async function ask<T>(
  respond: RequestListener,
  work: (api: AuthentikApi) => Promise<T>,
  ...options: [retry?: typeof once]
): Promise<T> {
  const server = createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return withAuthentik(url, TOKEN, work, ...options);
}

/** Responds with these statuses in turn, and adds each request to a list. */
function inTurn(received: string[], ...statuses: number[]): RequestListener {
  return ({ method, url }, response) => {
    received.push(`${method} ${url}`);
    response.writeHead(statuses[received.length - 1] ?? 404).end("{}");
  };
}

test("does not repeat a request whose token is refused, and names the path without its query", async () => {
  const received: string[] = [];
  const response = ask(inTurn(received, 403), (api) => api.all("/core/groups/", { name: "staff" }));
  await expect(response).rejects.toThrow(new StatusError("/core/groups/", 403));
  expect(received).toEqual(["GET /api/v3/core/groups/?name=staff&page=1&page_size=100"]);
});

test("names the variables that trust the authority of a certificate", async () => {
  const { certificate_data: cert, key_data: key } = selfSigned("127.0.0.1");
  const server = createHttpsServer({ cert, key });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const error: unknown = await withAuthentik(url, TOKEN, (api) => api.one("/core/users/me/")).catch(
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UntrustedError);
  expect((error as Error).message).toBe(
    "self-signed certificate; trust its authority with NODE_EXTRA_CA_CERTS=FILE, and for the provider plugins with SSL_CERT_FILE=FILE or " +
      "in the trust store of the system (docs/commands.md)",
  );
});

test("sends a request once if its caller repeats it", async () => {
  const received: string[] = [];
  await expect(ask(inTurn(received, 500, 200), (api) => api.one("/core/brands/"), once)).rejects.toThrow(StatusError);
  expect(received).toHaveLength(1);
});

test.each([
  [201, undefined],
  [500, new StatusError("/core/groups/", 500)],
])("sends a POST once that gets %i", async (status, error) => {
  const received: string[] = [];
  const created = ask(inTurn(received, status), (api) => api.post("/core/groups/", { name: "staff" }));
  expect(await created.catch((reason: unknown) => reason)).toEqual(error);
  expect(received).toEqual(["POST /api/v3/core/groups/"]);
});

test("returns the objects of all pages", async () => {
  const respond: RequestListener = ({ url }, response) => {
    const page = Number(new URL(url ?? "", "http://localhost").searchParams.get("page"));
    response.end(JSON.stringify({ results: [page], pagination: { next: page < 3 ? page + 1 : 0 } }));
  };
  expect(await ask(respond, (api) => api.all("/core/groups/"))).toEqual([1, 2, 3]);
});

test.each([
  [{ actions: { POST: {} } }, true],
  [{}, false],
])("reads from %j whether the user may create", async (body, expected) => {
  const respond: RequestListener = (_, response) => void response.end(JSON.stringify(body));
  expect(await ask(respond, (api) => api.mayCreate("/core/groups/"))).toBe(expected);
});

test.each([
  [`<html>${TOKEN}`, "/core/groups/ answers with something other than a JSON object"],
  [`{"results": ["${TOKEN}"`, "/core/groups/ answers with something other than a JSON object"],
  ["null", "/core/groups/ answers with something other than a JSON object"],
  [`{"error": "${TOKEN}"}`, "/core/groups/ answers with an error, as while the server starts"],
  [`{"detail": "${TOKEN}"}`, "no list in the response of /core/groups/"],
])("rejects %s instead of a list, without its text", async (body, message) => {
  const respond: RequestListener = (_, response) => void response.end(body);
  await expect(ask(respond, (api) => api.all("/core/groups/"))).rejects.toThrow(new Error(message));
});
