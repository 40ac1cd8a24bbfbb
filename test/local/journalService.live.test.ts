import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { serveJournal } from "../../ops/journalService.ts";
import type { JournalEntry } from "../../ops/replay.ts";

const STACK = "/api/stacks/gatehouse/gatehouse/local";
const state = { version: 3, deployment: { resources: [] } };
const entry: JournalEntry = { kind: 2, sequenceID: 1, operationID: 1 };

let noted: JournalEntry[];
let full: boolean;
let service: Awaited<ReturnType<typeof serveJournal>>;

beforeEach(async () => {
  noted = [];
  full = false;
  const add = (entries: readonly JournalEntry[]): Promise<void> => {
    if (full) return Promise.reject(new Error("no space left on device"));
    noted.push(...entries);
    return Promise.resolve();
  };
  service = await serveJournal({
    stack: "local",
    credentials: join(tmpdir(), "gatehouse-no-login"),
    add,
    state: () => state,
  });
});
afterEach(() => service.close());

function send(method: string, path: string, authorization: string, body?: object): Promise<Response> {
  const sent = body && gzipSync(JSON.stringify(body));
  const headers = { authorization, "content-encoding": "gzip" };
  return fetch(`${service.environment["PULUMI_BACKEND_URL"]}${path}`, { method, headers, body: sent ?? null });
}

function token(): string {
  return service.environment["PULUMI_ACCESS_TOKEN"] ?? "";
}

test("the journal's service tells nobody but its engine what the state is, and takes nothing from others", async () => {
  const path = `${STACK}/update/run/journalentries`;
  for (const authorization of ["", "token", "token x", `Bearer ${token()}`, `token ${token()}x`]) {
    expect((await send("GET", `${STACK}/export`, authorization)).status).toBe(401);
    expect((await send("PATCH", path, authorization, { entries: [entry] })).status).toBe(401);
  }
  expect(noted).toEqual([]);
  expect(await (await send("GET", `${STACK}/export`, `token ${token()}`)).json()).toEqual(state);
  expect((await send("PATCH", path, `update-token ${token()}`, { entries: [entry] })).status).toBe(200);
  expect(noted).toEqual([entry]);
});

test("the journal's service listens on loopback alone", () => {
  expect(service.environment["PULUMI_BACKEND_URL"]).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});

test("the journal's service makes the engine stop when an entry cannot be noted", async () => {
  full = true;
  const answer = await send("PATCH", `${STACK}/update/run/journalentries`, `update-token ${token()}`, { entries: [] });
  expect(answer.status).toBe(500);
});

test("the journal's service knows one stack, and nothing that a run does not need", async () => {
  for (const path of ["/api/stacks/gatehouse/gatehouse/other/export", "/api/user/stacks", `${STACK}/encrypt`]) {
    expect((await send("GET", path, `token ${token()}`)).status).toBe(404);
  }
});
