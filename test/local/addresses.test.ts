/** Platforms on one machine never share an address. */
import { once } from "node:events";
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { UserError } from "../../config/errors/userError.ts";
import { addressesOf, claimAddresses, PORTS } from "../../local/platform/addresses.ts";

function dataFolder(): string {
  const data = mkdtempSync(path.join(tmpdir(), "gatehouse-addresses-"));
  onTestFinished(() => rmSync(data, { recursive: true }));
  return data;
}

/** Listens on all addresses, as another program would. */
async function takeEverywhere(): Promise<number> {
  const server = createServer().listen({ port: 0, host: "0.0.0.0", exclusive: true });
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

test("returns the first and the last range", () => {
  expect(addressesOf(0)).toEqual({ services: "127.64.0.0/22", pods: "127.128.0.0/22" });
  expect(addressesOf(2_047)).toEqual({ services: "127.95.252.0/22", pods: "127.159.252.0/22" });
});

test("keeps the range of a data folder, which no other gets while it is claimed", async () => {
  const [data, other] = [dataFolder(), dataFolder()];
  const first = await claimAddresses(data);
  copyFileSync(path.join(data, "addresses.json"), path.join(other, "addresses.json"));
  const address = first.services.replace("0/22", "1");
  await expect(claimAddresses(other)).rejects.toThrow(
    `another program listens on port 65535 of ${address}, in the addresses of ${other}; stop it first`,
  );
  first.release();
  const second = await claimAddresses(data);
  second.release();
  expect([second.services, second.pods]).toEqual([first.services, first.pods]);
});

test("refuses a port of the Pods that another program has on all addresses, and keeps no range", async () => {
  const data = dataFolder();
  const taken = await takeEverywhere();
  const problem = `another program listens on port ${taken} on all addresses, and the local platform needs this port`;
  const hint = "stop it, or let it listen on 127.0.0.1 only";
  await expect(claimAddresses(data, { ...PORTS, pods: [taken] })).rejects.toEqual(new UserError(problem, hint));
  // The range of the failed start is free again.
  (await claimAddresses(data, { ...PORTS, pods: [] })).release();
});

test("gives up when no range is free, because another program has the port of the claims on all addresses", async () => {
  const data = dataFolder();
  const taken = await takeEverywhere();
  const problem = `another program listens on port ${taken} on all addresses, and the local platform needs this port`;
  const hint = "stop it, or let it listen on 127.0.0.1 only";
  await expect(claimAddresses(data, { claim: taken, pods: [] })).rejects.toEqual(new UserError(problem, hint));
  expect(existsSync(path.join(data, "addresses.json"))).toBe(false);
});
