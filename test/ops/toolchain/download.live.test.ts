import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { program, sha256, Workbench } from "../workbench.ts";

let bench: Workbench;

beforeEach(async () => {
  bench = new Workbench();
  await bench.start();
});

afterEach(() => bench.stop());

test("compares a published archive with the publisher's list, unpacks it and removes it", async () => {
  bench.withoutMirror();
  await mkdir(path.join(bench.folder, "probe-dist"));
  await writeFile(path.join(bench.folder, "probe-dist", "probe"), program("1.2.3"));
  await promisify(execFile)("tar", ["-czf", "probe.tar.gz", "probe-dist/probe"], { cwd: bench.folder });
  const archive = await readFile(path.join(bench.folder, "probe.tar.gz"));
  bench.served
    .set("probe.tar.gz", archive)
    .set("sums.txt", `${"0".repeat(64)}  other.tar.gz\n${sha256(archive)} *probe.tar.gz\n`);
  const download = {
    url: `${bench.address}/probe.tar.gz`,
    sums: `${bench.address}/sums.txt`,
    member: "probe-dist/probe",
  };
  expect(await readFile(await bench.get(bench.probe({ download })), "utf8")).toBe(program("1.2.3"));
  expect(await readdir(bench.downloads)).toEqual([]);
});

test("refuses a download with another checksum, and does not keep it", async () => {
  bench.withoutMirror();
  bench.publish(program("1.2.3"));
  bench.served.set("probe", "forged");
  await expect(bench.get()).rejects.toThrow(
    `- official download: its checksum is ${sha256("forged")}, expected ${sha256(program("1.2.3"))}\n`,
  );
  expect(existsSync(bench.cached)).toBe(false);
  expect(await readdir(bench.downloads)).toEqual([]);
});

test("refuses a download that matches the publisher's list and not the pinned checksum", async () => {
  bench.withoutMirror();
  bench.publish(program("1.2.3"));
  const pinned = "a".repeat(64);
  const { download } = bench.probe();
  await expect(bench.get(bench.probe({ download: { ...download, sha256: pinned } }))).rejects.toThrow(
    `- official download: its checksum is ${sha256(program("1.2.3"))}, expected ${pinned}\n`,
  );
  expect([existsSync(bench.cached), bench.requests]).toEqual([false, ["probe"]]);
});

test.each([
  ["the beginning", program("1.2.3").slice(0, 10)],
  ["a text that is too long", "x".repeat(200)],
])("fetches a file again if an interrupted download left %s", async (_, half) => {
  bench.withoutMirror();
  bench.publish(program("1.2.3"));
  await bench.putHalfDownload(half);
  expect(await readFile(await bench.get(), "utf8")).toBe(program("1.2.3"));
  expect(bench.requests).toEqual(["probe.sha256", "probe"]);
});
