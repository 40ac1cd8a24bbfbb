import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { main } from "../../../ops/commands/import.ts";
import { SHELL } from "../../helpers/shell.ts";

const folder = mkdtempSync(join(tmpdir(), "gatehouse-import-"));
afterAll(() => rmSync(folder, { recursive: true }));

const kubeconfig = join(folder, "kubeconfig");
const named = (name: string, content: object) => ({ name, ...content });
writeFileSync(
  kubeconfig,
  JSON.stringify({
    contexts: [named("nowhere", { context: { cluster: "nowhere", user: "user" } })],
    clusters: [named("nowhere", { cluster: { server: "http://127.0.0.1:1" } })],
    users: [named("user", { user: { token: "t" } })],
  }),
);

async function run(...args: string[]): Promise<readonly [number, string]> {
  let error = "";
  const shell = { ...SHELL, project: folder, folder, environment: { KUBECONFIG: kubeconfig } };
  return [await main(args, { ...shell, error: (text) => void (error += text) }), error];
}

test.each([
  [
    ["elsewhere"],
    'the kubeconfig has no context "elsewhere" (existing contexts: nowhere). Set KUBECONFIG, or add it.\n',
  ],
  [
    ["nowhere", "--authentik", "ada:canary@sso"],
    "--authentik is not a URL of authentik; write it like https://sso.example.org\n",
  ],
  [
    ["nowhere", "--authentik", "https://:canary@sso"],
    "the URL of authentik has credentials. Set AUTHENTIK_TOKEN instead.\n",
  ],
  [["nowhere", "--authentik", "sso"], '"sso" is not a URL of authentik; write it like https://sso.example.org\n'],
])("exits with 2 for %j", async (args, message) => {
  expect(await run(...args)).toEqual([2, message]);
});
