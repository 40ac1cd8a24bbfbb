import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";
import { cacheFolder } from "../../ops/toolchain/paths.ts";

/** Starts Chromium for tests and benchmarks. */
export async function launchBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await installChromium(),
    // Chromium resolves *.localhost to loopback. Its sandbox refuses root; the last three arguments disable its background requests.
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run"],
    headless: true,
  });
}

/**
 * Extracts Chromium into the cache, once for each version of the package, and returns its path. The package itself extracts it into the folder of
 * temporary files, where a process that starts meanwhile finds an incomplete program.
 */
async function installChromium(): Promise<string> {
  const description = readFileSync(new URL("../package.json", import.meta.resolve("@sparticuz/chromium")), "utf8");
  const { version } = JSON.parse(description) as { version: string };
  const folder = join(cacheFolder(), `chromium-${version}`);
  if (!existsSync(folder)) await extract(folder);
  return join(folder, "chromium");
}

async function extract(folder: string): Promise<void> {
  await mkdir(cacheFolder(), { recursive: true });
  const partial = await mkdtemp(`${folder}.`);
  const before = process.env["TMPDIR"];
  try {
    process.env["TMPDIR"] = partial;
    await chromium.executablePath();
    await rename(partial, folder).catch((error: unknown) => {
      // Another process has extracted it meanwhile.
      if (!existsSync(folder)) throw error;
    });
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
    await rm(partial, { recursive: true, force: true });
  }
}
