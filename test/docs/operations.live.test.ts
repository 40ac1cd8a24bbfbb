/** Runs the commands of the pages about operation in bash, with functions that print a command instead of running it. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const folder = join(import.meta.dirname, "..", "..", "docs", "operations");

/** Functions with the names of the programs. One whose command contains `$FAILING` fails; `pg_isready` succeeds at the third attempt. */
const STANDINS = `
run() { echo "$*" >> ran; case "$*" in *"$FAILING"*) return 1;; esac; }
for name in psql pg_dump pg_dumpall pg_restore pulumi npx curl sleep read; do eval "$name() { run $name \\"\\$@\\"; }"; done
kubectl() {
  run kubectl "$@" || return
  case "$*" in *volumeName*) printf volume;; *ReclaimPolicy}*) printf "$POLICY";; *-o?json) echo claim;; esac
}
jq() { cat; }
attempt=0
pg_isready() { attempt=$((attempt + 1)); test $attempt -gt 2; }
`;

/**
 * Runs the block of a page that contains a text.
 * @param failing part of the command that fails
 * @param policy reclaim policy of the volume
 * @returns the commands that ran, and whether the folders of backups are marked as partial
 */
function runBlock(page: string, text: string, failing = "nothing", policy = "Retain") {
  const home = mkdtempSync(join(tmpdir(), "gatehouse-docs-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const blocks = [...readFileSync(join(folder, page), "utf8").matchAll(/^( *)```sh\n([^]*?)^ *```/gm)];
  const [, indent = "", block = ""] = blocks.find(([block]) => block.includes(text)) ?? [];
  expect(block).not.toBe("");
  const script = join(home, "script");
  // A command in the background writes its line, too.
  writeFileSync(script, `${STANDINS}trap wait EXIT\n` + block.replaceAll(new RegExp(`^${indent}`, "gm"), ""));
  const env = { PATH: process.env["PATH"], HOME: home, BACKUP: home, FAILING: failing, POLICY: policy };
  let failed = false;
  try {
    execFileSync("bash", [script], { cwd: home, env, stdio: "ignore" });
  } catch {
    failed = true;
  }
  const ran = readFileSync(join(home, "ran"), "utf8").split("\n");
  const backups = readdirSync(home).includes("gatehouse-backup") ? readdirSync(join(home, "gatehouse-backup")) : [];
  return {
    failed,
    ran: (part: string) => ran.some((one) => one.includes(part)),
    partial: backups.map((name) => name.endsWith(".partial")),
  };
}

const STOP = "wait --for delete pod --selector";
const RESTORE = "delete job --all";

test.each([
  ["backup.md", "pg_dumpall", "pg_dump ", "pulumi stack export"],
  ["backup.md", STOP, "authentik wait", "gatehouse-data wait"],
  ["backup.md", RESTORE, "authentik.dump", "gatehouse.dump"],
  ["backup.md", RESTORE, "gatehouse.dump", "scale"],
  ["moving.md", "globals.sql", "authentik.dump", "gatehouse.dump"],
  ["upgrading.md", "patch pv", "patch pv", "delete pvc"],
  ["upgrading.md", "patch pv", "-o json", "delete pvc"],
  ["upgrading.md", "set image statefulset", "set image", "scale"],
  ["upgrading.md", "globals.sql", "authentik.dump", "gatehouse.dump"],
  ["rotation.md", "authentik-bootstrap-token", "curl", "pulumi config"],
  ["rotation.md", "gatehouse-ACCOUNT", "curl", "npx"],
])("%s stops the commands with %j when %j fails", (page, text, failing, next) => {
  const { failed, ran } = runBlock(page, text, failing);
  expect([failed, ran(failing), ran(next)]).toEqual([true, true, false]);
  expect(runBlock(page, text).ran(next)).toBe(true);
});

test("upgrading.md keeps the claim of a volume that would be deleted with it", () => {
  expect(runBlock("upgrading.md", "patch pv", undefined, "Delete").ran("delete pvc")).toBe(false);
});

test("backup.md marks the folder of a failed backup, and of no other", () => {
  expect(runBlock("backup.md", "pg_dumpall").partial).toEqual([false]);
  expect(runBlock("backup.md", "pg_dumpall", "pg_dumpall").partial).toEqual([true]);
});

test.each(["backup.md", "moving.md", "upgrading.md"])("%s waits for the port forward", (page) => {
  const { failed, ran } = runBlock(page, "port-forward");
  expect([failed, ran("sleep 1")]).toEqual([false, true]);
});
