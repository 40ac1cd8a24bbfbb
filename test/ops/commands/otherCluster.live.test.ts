/** Commands refuse another cluster than that of gatehouse:cluster.uid, before they read anything else from it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { main } from "../../../ops/commands/gatehouse.ts";
import { SHELL } from "../../helpers/shell.ts";

const IDENTITY = "/api/v1/namespaces/kube-system";
const OWN = "6b1e5c34-3f0f-4f6b-9a55-0d6c1f6f7a42";
const OTHER = "0e7a2a1c-52c5-4a83-8d55-7a0b6e2f1c11";
const folder = mkdtempSync(join(tmpdir(), "gatehouse-other-cluster-"));
const requests: string[] = [];
let isIdentified = true;
const server = createServer((request, response) => {
  requests.push(request.url ?? "");
  if (!isIdentified && request.url === IDENTITY) {
    response.writeHead(401).end();
    return;
  }
  const namespace = { metadata: { name: "kube-system", uid: OTHER } };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(namespace));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = {
    "kubernetes:context": "default",
    "gatehouse:cluster": { uid: OWN },
    "gatehouse:domains": { localhost: {} },
    "gatehouse:protected_services": [],
    "gatehouse:identity_provider": { install: false, url: "http://127.0.0.1:1", token: "${TOKEN}" },
  };
  writeFileSync(join(folder, "Pulumi.first.yaml"), JSON.stringify({ config }));
  const kubeconfig = {
    contexts: [{ name: "default", context: { cluster: "default", user: "default" } }],
    clusters: [{ name: "default", cluster: { server: address, "insecure-skip-tls-verify": true } }],
    users: [{ name: "default", user: { token: "t" } }],
  };
  writeFileSync(join(folder, "kubeconfig"), JSON.stringify(kubeconfig));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

async function run(command: string): Promise<readonly [code: number, printed: string]> {
  requests.length = 0;
  let printed = "";
  const print = (text: string) => void (printed += text);
  const environment = { KUBECONFIG: join(folder, "kubeconfig") };
  const place = { ...SHELL, project: folder, data: folder, folder, environment };
  return [await main([...command.split(" "), "default"], { ...place, out: print, error: print }), printed];
}

test.each(["audit", "diagnose", "doctor", "import", "preview", "verify"])(
  "%s exits with 2 and both UIDs",
  async (command) => {
    expect(await run(command)).toEqual([
      2,
      `cluster.uid: context "default" is another cluster: its UID is ${OTHER}, and that of stack "first" is ${OWN}. ` +
        "Set KUBECONFIG to the kubeconfig of the stack's cluster, or correct cluster.uid.\n",
    ]);
    expect(requests).toEqual([IDENTITY]);
  },
);

test.each([
  ["audit", 2],
  ["diagnose", 1],
  ["doctor", 1],
  ["import", 2],
  ["preview --drift", 2],
  ["verify", 1],
])("%s reads nothing from a cluster whose UID cannot be read", async (command, expected) => {
  isIdentified = false;
  const [code, printed] = await run(command);
  isIdentified = true;
  expect([code, printed]).toEqual([expected, expect.stringContaining("rejects the credentials of its user")]);
  expect(requests).toEqual([IDENTITY]);
});
