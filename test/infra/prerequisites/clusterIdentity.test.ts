import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import { contextName, identityProblem, withContext } from "../../../infra/prerequisites/clusterIdentity.ts";
import { clusterFacts } from "../../../infra/prerequisites/cluster.ts";
import { refuseWithoutPrerequisites } from "../../../infra/prerequisites/prerequisites.ts";
import { shell, stack } from "../../config/stacks.ts";

const OWN = "6b1e5c34-3f0f-4f6b-9a55-0d6c1f6f7a42";
const OTHER = "0e7a2a1c-52c5-4a83-8d55-7a0b6e2f1c11";
const folder = mkdtempSync(join(tmpdir(), "gatehouse-identity-"));
afterAll(() => rmSync(folder, { recursive: true }));

const bound = (cluster: object = { uid: OWN, contexts: ["k3s"] }) =>
  parseStack(stack({ cluster }, { "kubernetes:context": { value: "default" } }), shell);

const MISMATCH =
  `cluster.uid: context "default" is another cluster: its UID is ${OTHER}, and that of stack "dev" is ${OWN}. ` +
  "Set KUBECONFIG to the kubeconfig of the stack's cluster, or correct cluster.uid.";

test("compares the UID of a cluster with that of the stack", () => {
  expect(identityProblem(bound(), OWN)).toBeUndefined();
  expect(identityProblem(bound({}), OTHER)).toBeUndefined();
  expect(identityProblem(bound(), OTHER)).toBe(MISMATCH);
  expect(identityProblem(bound(), undefined)).toBe(
    `cluster.uid: the user of context "default" may not read namespace kube-system, so its cluster cannot be compared with ${OWN}. ` +
      "Allow the user to get this namespace.",
  );
});

test("uses the wanted name if the kubeconfig contains it, else the first of the stack's that it contains", () => {
  const { cluster } = bound();
  expect(contextName(cluster, "k3s", ["default", "k3s"])).toBe("k3s");
  expect(contextName(cluster, undefined, ["default", "k3s"])).toBe("default");
  expect(contextName(cluster, "default", ["k3s"])).toBe("k3s");
  expect(contextName(cluster, "name-of-no-stack", ["k3s", "name-of-no-stack"])).toBe("k3s");
  expect(contextName(cluster, "k3s", [])).toBe("k3s");
  expect(contextName({ contexts: [], uid: undefined }, undefined, ["default"])).toBeUndefined();
});

/** Writes a kubeconfig with the context `default` of this server. */
function kubeconfig(server: string): string {
  const file = join(folder, "kubeconfig");
  const [contexts, clusters] = [
    [{ name: "default", context: { cluster: "default", user: "default" } }],
    [{ name: "default", cluster: { server, "insecure-skip-tls-verify": true } }],
  ];
  writeFileSync(file, JSON.stringify({ contexts, clusters, users: [{ name: "default", user: { token: "t" } }] }));
  return file;
}

test("refuses another cluster in pulumi up before the first resource, with both UIDs and nothing else", async () => {
  const server = createServer((request, response) => {
    const namespace = { metadata: { name: "kube-system", uid: OTHER } };
    const body = request.url === "/api/v1/namespaces/kube-system" ? namespace : { gitVersion: "v1.20.0" };
    const status = request.url === "/version" || body === namespace ? 200 : 404;
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const before = process.env["KUBECONFIG"];
  onTestFinished(() => {
    server.close();
    if (before === undefined) delete process.env["KUBECONFIG"];
    else process.env["KUBECONFIG"] = before;
  });
  process.env["KUBECONFIG"] = kubeconfig(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const settings = await withContext(bound(), { ...process.env, GATEHOUSE_CONTEXT: "k3s" });
  expect(settings.context).toBe("default");
  const refuse = (isPreview: boolean) =>
    refuseWithoutPrerequisites(settings, computePlan(settings), isPreview, clusterFacts);
  await expect(refuse(false)).rejects.toThrow(new Error(MISMATCH));
  await expect(refuse(true)).rejects.toThrow(new Error(MISMATCH));
  process.env["KUBECONFIG"] = kubeconfig("http://127.0.0.1:1");
  await expect(refuse(true)).resolves.toBeUndefined();
  await expect(refuse(false)).rejects.toThrow(
    `cluster.uid: the cluster of context "default" does not answer, so its UID cannot be compared with ${OWN}.`,
  );
});
