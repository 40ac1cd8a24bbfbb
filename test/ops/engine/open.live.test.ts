import { execFileSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { parseStack } from "../../../config/load.ts";
import { UserError } from "../../../config/errors/userError.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import { openEngine, pulumiCommand } from "../../../ops/engine/open.ts";
import { openStack } from "../../../ops/engine/stack.ts";
import { shell, stack } from "../../config/stacks.ts";
import { SILENT } from "../../../ops/terminal/progress.ts";
import { putPulumiOnPath } from "../../helpers/clusterPulumi.ts";
import { writeExecutable } from "../../helpers/executable.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gatehouse-open-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function writeCli(version: string): string {
  const file = join(folder, version);
  writeExecutable(file, `#!/bin/sh\necho ${version}\n`);
  return file;
}

test("keeps the CLI of a command when another command uses another one", async () => {
  const [local, cluster] = [writeCli("v3.250.0+local"), writeCli("v3.250.0")];
  const data = join(folder, "data");
  const command = await pulumiCommand(data, cluster);
  const others = [local, cluster, local, cluster].map((cli) => pulumiCommand(data, cli));
  const versions = [command, ...(await Promise.all(others))].map(({ command: file }) =>
    execFileSync(file, { encoding: "utf8" }).trim(),
  );
  expect(versions).toEqual(["v3.250.0", "v3.250.0+local", "v3.250.0", "v3.250.0+local", "v3.250.0"]);
});

test("replaces the stack file of the local platform as a whole", async () => {
  const workspace = join(folder, "workspace");
  mkdirSync(workspace);
  const files = ["Pulumi.yaml", "Pulumi.local.yaml"].map((name) => join(workspace, name));
  const readers = files.map((file) => {
    writeFileSync(file, "encryptionsalt: v1:salt\n");
    return openSync(file, "r");
  });
  const command = await pulumiCommand(join(folder, "data"), writeCli("v3.250.0"));
  const options = { stack: "local", program: () => Promise.resolve(), command, workspace, environment: {} };
  await openStack({ ...options, overrides: { "variables:HTTP_PORT": "8080" } }).catch(() => undefined);
  // A reader of the previous file gets all of it, which an interrupted run leaves.
  expect(readers.map((reader) => readFileSync(reader, "utf8"))).toEqual(files.map(() => "encryptionsalt: v1:salt\n"));
  readers.forEach(closeSync);
  const written = parse(readFileSync(join(workspace, "Pulumi.local.yaml"), "utf8")) as Record<string, object>;
  expect(written).toMatchObject({ encryptionsalt: "v1:salt", config: { "variables:HTTP_PORT": "8080" } });
});

test("has one link for many calls at the same time", async () => {
  const cli = writeCli("v3.250.0");
  const commands = await Promise.all(Array.from({ length: 40 }, () => pulumiCommand(join(folder, "data"), cli)));
  const files = new Set(commands.map(({ command }) => command));
  expect([...files].map((file) => readlinkSync(file))).toEqual([cli]);
});

test("replaces a link to another program that exists already", async () => {
  const [cli, other] = [writeCli("v3.250.0"), writeCli("other")];
  const data = join(folder, "data");
  const { command } = await pulumiCommand(data, cli);
  rmSync(command);
  symlinkSync(other, command);
  await pulumiCommand(data, cli);
  expect(readlinkSync(command)).toBe(cli);
});

test("changes neither the stack file nor the backend if the file has a key and the backend no stack", async () => {
  const file = join(folder, "Pulumi.dev.yaml");
  const text = "secretsprovider: awskms://alias/gatehouse?region=eu-north-1\nencryptedkey: AQICAHic\nconfig: {}\n";
  writeFileSync(file, text);
  writeFileSync(join(folder, "Pulumi.yaml"), "name: gatehouse\nruntime: nodejs\n");
  await putPulumiOnPath(folder);
  const settings = parseStack(stack(), shell);
  const environment = {
    PATH: process.env["PATH"],
    PULUMI_BACKEND_URL: `file://${folder}`,
    PULUMI_CONFIG_PASSPHRASE: "passphrase",
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
  const target = {
    context: "here",
    given: "here",
    stack: "dev",
    raw: stack(),
    environment,
    settings,
    plan: computePlan(settings),
    local: false,
  };
  const user = { project: folder, data: join(folder, "data"), environment };
  const open = (creates: boolean) => openEngine(target, user, () => Promise.resolve(), SILENT, creates);
  await expect(open(true)).rejects.toThrow(
    new UserError(
      'the stack "dev" cannot be opened: the backend does not have it. Log in to its backend, or create it: pulumi stack init dev, with --secrets-provider if the stack file has a secretsprovider. See docs/deploy.md, Backend.',
    ),
  );
  expect(readFileSync(file, "utf8")).toBe(text);
  const state = join(folder, ".pulumi", "stacks", "gatehouse", "dev.json");
  expect(existsSync(state)).toBe(false);
  writeFileSync(file, "config: {}\n");
  await expect(open(false)).rejects.toThrow("the backend does not have it");
  expect([readFileSync(file, "utf8"), existsSync(state)]).toEqual(["config: {}\n", false]);
  // With a passphrase and without a key, a deployment creates the stack (docs/getting-started.md).
  await open(true);
  expect([readFileSync(file, "utf8").includes("encryptionsalt: v1:"), existsSync(state)]).toEqual([true, true]);
});
