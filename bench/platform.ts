import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Platform, startPlatform } from "../local/platform/platform.ts";
import type { Progress } from "../ops/terminal/progress.ts";

/** Runs `work` on a new platform, and removes it afterwards. */
export async function onPlatform<T>(progress: Progress, work: (platform: Platform) => Promise<T>): Promise<T> {
  const data = mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
  const platform = await startPlatform({ data, progress });
  try {
    return await work(platform);
  } finally {
    await platform.stop();
    rmSync(data, { recursive: true, force: true });
  }
}
