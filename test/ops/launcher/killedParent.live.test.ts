import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { packageFolder } from "../../../config/files/folders.ts";
import { signalProcess } from "../../../local/platform/procfs.ts";

/** Records its process number and the signal that ends it. */
const PROGRAM = `
  import { writeFileSync } from "node:fs";
  process.on("SIGTERM", () => {
    writeFileSync("ended", "SIGTERM");
    process.exit();
  });
  setInterval(() => undefined, 1_000);
  writeFileSync("started", String(process.pid));
`;

test("stops local/start.ts when npm is killed, which forwards no signal", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "gatehouse-killed-parent-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(path.join(folder, "local"));
  writeFileSync(path.join(folder, "local", "start.ts"), PROGRAM);
  const [started, ended] = [path.join(folder, "started"), path.join(folder, "ended")];
  const launcher = path.join(packageFolder(), "ops", "launcher", "launch.js");
  // The shell takes the place of npm. With a mirror, the launcher announces no build.
  const npm = spawn("sh", ["-c", '"$0" "$1" local/start.ts & wait', process.execPath, launcher], {
    cwd: folder,
    env: { ...process.env, GATEHOUSE_TOOLS_MIRROR: folder },
    stdio: "ignore",
  });
  await expect.poll(() => existsSync(started) && readFileSync(started, "utf8")).toMatch(/^\d+$/);
  onTestFinished(() => {
    if (!existsSync(ended)) signalProcess(Number(readFileSync(started, "utf8")), "SIGKILL");
  });
  npm.kill("SIGKILL");
  await once(npm, "exit");
  await expect.poll(() => existsSync(ended) && readFileSync(ended, "utf8")).toBe("SIGTERM");
});
