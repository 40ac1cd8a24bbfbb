import { readFileSync } from "node:fs";
import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";
import { cachedFolder } from "./cachedFolder.ts";

/** Starts Chromium for tests and benchmarks. */
export async function launchBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await installChromium(),
    // Chromium resolves *.localhost to loopback. Its sandbox refuses root; the last three arguments disable its background requests.
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run"],
    headless: true,
    // Its default of 30 s passes on a busy machine.
    timeout: 240_000,
  });
}

/**
 * Extracts Chromium into the cache, once for each version of the package, and returns its path. Where the package itself extracts it, a process
 * that starts meanwhile finds an incomplete program.
 */
async function installChromium(): Promise<string> {
  const description = readFileSync(new URL("../package.json", import.meta.resolve("@sparticuz/chromium")), "utf8");
  const { version } = JSON.parse(description) as { version: string };
  return join(await cachedFolder(`chromium-${version}`, extract), "chromium");
}

/** The package extracts into the folder of temporary files. */
async function extract(folder: string): Promise<void> {
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = folder;
  try {
    await chromium.executablePath();
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
}
