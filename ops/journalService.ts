import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import type { JournalEntry } from "./replay.ts";
import { PROJECT, type State } from "./state.ts";

export interface Journal {
  /** Name of the stack. */
  readonly stack: string;
  /** Keeps the entries; the engine goes on when it has. */
  readonly add: (entries: readonly JournalEntry[]) => Promise<void>;
  /** Folder for what the CLI keeps about its login here; removed at the end. */
  readonly credentials: string;
  /** The stack's state at this moment. */
  readonly state: () => State;
}

const OWNER = "gatehouse";
/** The engine waits for its entries to be noted; a network would be worth waiting longer for more of them. */
const BATCH_MS = "5";
const LEASE_SECONDS = 24 * 60 * 60;

/**
 * As much of the Pulumi service's API as one run of the engine needs, on loopback, for whoever has the token of the environment.
 * @returns what the engine's environment needs, and how to end the service
 */
export async function serveJournal(
  journal: Journal,
): Promise<{ environment: Record<string, string>; close: () => Promise<void> }> {
  const token = randomBytes(24).toString("hex");
  const routes = routesOf(journal, token);
  const answer = (request: IncomingMessage): Promise<readonly [number, object]> =>
    isAuthorized(request, token)
      ? respond(routes, request)
      : Promise.resolve([401, { code: 401, message: "no token" }]);
  const server = createServer((request, response) => {
    void answer(request)
      .catch((error: unknown) => [500, { code: 500, message: String(error) }] as const)
      .then(([status, body]) => {
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    environment: {
      PULUMI_BACKEND_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      PULUMI_ACCESS_TOKEN: token,
      PULUMI_CREDENTIALS_PATH: journal.credentials,
      PULUMI_JOURNALING_BATCH_PERIOD: BATCH_MS,
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await rm(journal.credentials, { recursive: true, force: true });
    },
  };
}

async function respond(routes: readonly Route[], request: IncomingMessage): Promise<readonly [number, object]> {
  const sent = await buffer(request);
  const asked = `${request.method} ${request.url?.split("?")[0]}`;
  const [, answer] = routes.find(([pattern]) => pattern.test(asked)) ?? [];
  // The engine does without what is not known here.
  return answer ? [200, await answer(() => read(request, sent))] : [404, { code: 404, message: "not found" }];
}

/** The engine sends the access token, and what it got with the lease for the rest. */
function isAuthorized({ headers }: IncomingMessage, token: string): boolean {
  return headers.authorization === `token ${token}` || headers.authorization === `update-token ${token}`;
}

function read(request: IncomingMessage, sent: Buffer): unknown {
  const plain = request.headers["content-encoding"] === "gzip" ? gunzipSync(sent) : sent;
  return JSON.parse(plain.toString()) as unknown;
}

type Route = readonly [pattern: RegExp, answer: (body: () => unknown) => object | Promise<object>];

function routesOf(journal: Journal, token: string): Route[] {
  const stack = `/api/stacks/${OWNER}/${PROJECT}/${journal.stack}`;
  const run = `${stack}/(update|destroy)/run`;
  const lease = (): object => ({ token, tokenExpiration: Math.floor(Date.now() / 1_000) + LEASE_SECONDS });
  return [
    [/^GET \/api\/user$/, () => ({ githubLogin: OWNER, name: OWNER })],
    [/^GET \/api\/user\/organizations\/default$/, () => ({ gitHubLogin: OWNER })],
    [/^GET \/api\/capabilities$/, () => ({ capabilities: [] })],
    [call(`GET ${stack}`), () => ({ orgName: OWNER, projectName: PROJECT, stackName: journal.stack, tags: {} })],
    [call(`GET ${stack}/export`), () => journal.state()],
    [call(`GET ${stack}/updates`), () => ({ updates: [] })],
    [call(`POST ${stack}/(update|destroy)`), () => ({ updateID: "run" })],
    [call(`POST ${run}`), () => ({ ...lease(), version: 1, journalVersion: 1 })],
    [call(`POST ${run}/renew_lease`), lease],
    [
      call(`PATCH ${run}/journalentries`),
      async (body) => {
        await journal.add((body() as { entries: JournalEntry[] }).entries);
        return {};
      },
    ],
    [call(`POST ${run}/(events/batch|complete)`), () => ({})],
  ];
}

function call(text: string): RegExp {
  return new RegExp(`^${text}$`);
}
