import { createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { waitUntilAnswers } from "../../../infra/postgres/readiness.ts";

/** Codes of the errors that the next connections get; a further connection is accepted. */
let refusals: string[] = [];
let server: Server;
let port: number;
const wait = (followsSecret: boolean) =>
  waitUntilAnswers(
    { host: "127.0.0.1", port, user: "postgres", password: "canary", ssl: false, followsSecret },
    "forward a port",
  ).then(
    () => "answers",
    (error: unknown) => (error as Error).message,
  );

beforeEach(async () => {
  server = createServer((socket) => socket.once("data", () => answer(socket)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as { port: number }).port;
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
});

/** ErrorResponse, or AuthenticationOk and ReadyForQuery (PostgreSQL docs, "Message Formats"). */
function answer(socket: Socket): void {
  const code = refusals.shift();
  if (code === undefined) socket.write(Buffer.concat([message("R", "\0\0\0\0"), message("Z", "I")]));
  else socket.end(message("E", `SFATAL\0C${code}\0Mrefused\0\0`));
}

function message(type: string, text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(text.length + length.length);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(text)]);
}

test("waits while the server starts", async () => {
  refusals = ["57P03"];
  expect(await wait(false)).toBe("answers");
});

test("waits until the operator has changed the password to that of the Secret", async () => {
  refusals = ["28P01"];
  expect(await wait(true)).toBe("answers");
});

test("refuses at once another password than that of the first start", async () => {
  refusals = ["28P01"];
  expect(await wait(false)).toBe(
    `Postgres at 127.0.0.1:${port} does not answer this machine: it rejects postgres.password (refused): ` +
      "the password is that of its first start until it is changed in the server; forward a port",
  );
});
