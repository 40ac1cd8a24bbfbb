import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder } from "../../ops/launcher/cacheFolder.js";

/**
 * Returns a folder of the cache, which is written once, under another name first: other runs find a complete one.
 * @param name contains what the content depends on, such as a version
 */
export async function cachedFolder(name: string, write: (folder: string) => Promise<unknown>): Promise<string> {
  const folder = join(cacheFolder(), name);
  if (existsSync(folder)) return folder;
  await mkdir(cacheFolder(), { recursive: true });
  const partial = await mkdtemp(`${folder}.`);
  try {
    await write(partial);
    await rename(partial, folder).catch((error: unknown) => {
      // Another run has written it meanwhile.
      if (!existsSync(folder)) throw error;
    });
    return folder;
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}
