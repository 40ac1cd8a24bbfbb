import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { choosePorts as choose, releasePorts } from "../../local/platform/ports.ts";

const root = mkdtempSync(path.join(tmpdir(), "gatehouse-ports-"));
const listening: Server[] = [];

afterEach(() => {
  for (const server of listening.splice(0)) server.close();
});
afterAll(() => rmSync(root, { recursive: true }));

/** The ports of a run that has stopped. */
async function choosePorts<N extends string>(data: string, wanted: Readonly<Record<N, readonly number[]>>) {
  const ports = await choose(data, wanted);
  releasePorts(data);
  return ports;
}

function newFolder(): string {
  return mkdtempSync(path.join(root, "data-"));
}

/** Listens as another program would. */
async function take(port: number, host = "127.0.0.1"): Promise<number> {
  const server = createServer().listen({ port, host, exclusive: true });
  listening.push(server);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function release(): Promise<void> {
  await Promise.all(listening.splice(0).map((server) => once(server.close(), "close")));
}

test("chooses the first wanted port that is free, and keeps it when a better one becomes free", async () => {
  const data = newFolder();
  const [taken, other] = [await take(0), await take(0)];
  await release();
  await take(taken);
  expect(await choosePorts(data, { http: [taken, other] })).toEqual({ http: other });
  await release();
  expect(await choosePorts(data, { http: [taken, other] })).toEqual({ http: other });
});

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === "::1"),
);
test.runIf(hasIpv6)(
  "chooses no port that another program serves on ::1, where browsers look for localhost first",
  async () => {
    const taken = await take(0, "::1");
    const other = await take(0);
    await once((listening.pop() as Server).close(), "close");
    expect(await choosePorts(newFolder(), { http: [taken, other] })).toEqual({ http: other });
  },
);

test("replaces a port that another program has taken, and keeps the new one", async () => {
  const data = newFolder();
  const first = await choosePorts(data, { http: [], ping: [] });
  await take(first.http);
  const second = await choosePorts(data, { http: [], ping: [] });
  expect(second.http).not.toBe(first.http);
  expect(second.ping).toBe(first.ping);
  await release();
  expect(await choosePorts(data, { http: [], ping: [] })).toEqual(second);
});

test("keeps the ports of names that are not requested", async () => {
  const data = newFolder();
  const { ping } = await choosePorts(data, { ping: [] });
  await choosePorts(data, { http: [] });
  expect(await choosePorts(data, { ping: [], http: [] })).toMatchObject({ ping });
});

test("chooses different ports below those of outgoing connections if none is wanted", async () => {
  const ports = Object.values(await choosePorts(newFolder(), { a: [], b: [], c: [], d: [], e: [] }));
  expect(new Set(ports).size).toBe(5);
  for (const port of ports) expect(port >= 20_000 && port < 32_768).toBe(true);
});

test("chooses no port twice before it is released, although nothing listens there yet", async () => {
  const [one, other] = [newFolder(), newFolder()];
  const { http } = await choose(one, { http: [] });
  expect((await choosePorts(other, { http: [http] })).http).not.toBe(http);
  releasePorts(one);
  expect(await choosePorts(newFolder(), { http: [http] })).toEqual({ http });
});
