import { createServer, type AddressInfo, type Socket } from "node:net";
import { expect, test } from "vitest";
import { waitUntilAnswers } from "../../../infra/postgres/readiness.ts";

/** Waits for a server that refuses the first connection with a code and accepts the second one. Returns what the caller sees, without the port. */
async function wait(code: string, followsSecret: boolean): Promise<string> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    const refuses = connections === 1;
    socket.once("data", () => (refuses ? refuse(socket, code) : accept(socket)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const address = { host: "127.0.0.1", port, user: "postgres", password: "canary", ssl: false, followsSecret } as const;
  try {
    await waitUntilAnswers(address, "forward a port", 1);
    return `answers the connection ${connections}`;
  } catch (error) {
    return (error as Error).message.replace(`:${port}`, ":PORT");
  } finally {
    server.close();
  }
}

/** ErrorResponse (PostgreSQL docs, "Message Formats"). */
function refuse(socket: Socket, code: string): void {
  socket.end(message("E", `SFATAL\0C${code}\0Mrefused\0\0`));
}

/** AuthenticationOk and ReadyForQuery. */
function accept(socket: Socket): void {
  socket.write(Buffer.concat([message("R", "\0\0\0\0"), message("Z", "I")]));
}

function message(type: string, text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(text.length + length.length);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(text)]);
}

test.concurrent("waits while the server starts", async () => {
  expect(await wait("57P03", false)).toBe("answers the connection 2");
});

test.concurrent("waits until the operator has changed the password to that of the Secret", async () => {
  expect(await wait("28P01", true)).toBe("answers the connection 2");
});

test.concurrent("refuses at once another password than that of the first start", async () => {
  expect(await wait("28P01", false)).toBe(
    "Postgres at 127.0.0.1:PORT does not answer this machine: it rejects postgres.password (refused): " +
      "the password is that of its first start until it is changed in the server; forward a port",
  );
});
