/** Platforms on one machine never share an address. */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { addressesOf, claimAddresses } from "../../local/platform/addresses.ts";

function dataFolder(): string {
  const data = mkdtempSync(path.join(tmpdir(), "gatehouse-addresses-"));
  onTestFinished(() => rmSync(data, { recursive: true }));
  return data;
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
    `another program listens on ${address}, in the addresses of ${other}; stop it first`,
  );
  first.release();
  const second = await claimAddresses(data);
  second.release();
  expect([second.services, second.pods]).toEqual([first.services, first.pods]);
});
