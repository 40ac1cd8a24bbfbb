/** A deployment fails after its first changes, its change is reverted, and the stack is deployed again. */
import {
  AutoscalingV2Api,
  PatchStrategy,
  setHeaderOptions,
  type V1ObjectMeta,
  type V1Pod,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import type { Outpost, Plan } from "../../infra/plan/types.ts";
import { accessChanges } from "../../ops/deployment/access.ts";
import { RetryingKubeConfig } from "../../infra/kubeConfig.ts";
import { isReadyPod } from "../../manifests/pod.ts";
import { FULL } from "../helpers/full.ts";
import { fullTest } from "../helpers/fullTest.ts";
import { killedProcess } from "../helpers/killed.ts";
import { headerOf } from "../../ops/clients/http.ts";
import { recover } from "../../ops/engine/apply.ts";
import { keepingUpdates } from "../../ops/engine/recovery/interruptedChanges.ts";
import { exportState } from "../../ops/engine/state/state.ts";
import { readState } from "../../ops/engine/state/stackState.ts";
import { statusAndTarget, withClient } from "../domains/fixtures.ts";
import { type Config, type EchoService, type OwnPlatform, type OwnStack, service } from "../helpers/ownPlatform.ts";
import { identityProvider } from "../helpers/sections.ts";
import { openShared, SHARED } from "./stack.ts";

/** In a namespace that does not exist, so that its Secret fails: after its user and token, which come after the routes. */
const FAILING = { name: "failing", namespace: "missing" };

let own: OwnPlatform;
let stack: OwnStack;
let plan: Plan;

beforeAll(async () => {
  ({ own, stack } = await openShared());
  ({ plan } = await stack.up(config()));
});
afterAll(() => own.stop());

function config(
  publicPaths: readonly string[] = [],
  accounts: readonly object[] = [],
  more: readonly EchoService[] = [notes("localhost")],
  groups: readonly string[] = ["staff"],
): Config {
  const port = own.platform.httpPort;
  const partner = { base_domain: "partner.test", protocol: "http", description: "Partners", targets: ["192.0.2.1"] };
  return own.installed([service("board", { public_paths: publicPaths, domains: ["localhost"], groups }), ...more], {
    "gatehouse:domains": { localhost: { enabled: true, port }, partner: { enabled: true, port, ...partner } },
    "gatehouse:identity_provider": identityProvider({ service_accounts: accounts }),
    "gatehouse:verification": {},
  });
}

/** An application that signs in users itself: all its domains are rules of one route, in the order of the domains. */
function notes(...domains: readonly string[]): EchoService {
  const oauth = { client_id: "notes", client_secret: "${CLIENT_SECRET}", redirect_uri: "/callback" };
  return service("notes", { type: "oauth2", domains, oauth_config: oauth });
}

/** Returns the name of the policy that an application is bound to. */
async function policyOf(slug: string): Promise<string | undefined> {
  const { pk } = await own.administrator.call<{ pk: string }>("GET", `/core/applications/${slug}/`);
  const bindings = await own.administrator.all<{ policy_obj: { name: string } }>("/policies/bindings/", { target: pk });
  return bindings[0]?.policy_obj.name;
}

/** Returns the response to a request without a session. */
async function responseOf(path: string, host = "board.localhost"): Promise<string> {
  return statusAndTarget(await withClient((client) => client.send(`${own.origin(host)}${path}`)));
}

/** Waits until a request without a session to the path gets the response: Traefik applies changes with a delay. */
async function until(expected: string, path: string, host?: string, timeout = 240_000): Promise<void> {
  const check = async (): Promise<void> => expect(await responseOf(path, host)).toBe(expected);
  await vi.waitFor(check, { timeout, interval: 100 });
}

/** Returns each ConfigMap without the random suffix of its name. */
async function configMaps(): Promise<string[]> {
  const { items } = await own.core.listConfigMapForAllNamespaces();
  return items.map(({ metadata }) => `${metadata?.namespace}/${metadata?.name?.replace(/-[0-9a-z]{8}$/, "")}`).sort();
}

/** Returns the statement about the access that a deployment of the first configuration begins with. */
async function accessStatement(): Promise<string> {
  return accessChanges(await readState(stack.stack), plan).report((_, text) => text);
}

test("reports and closes the public path of a failed deployment, and leaves none of its ConfigMaps", async () => {
  const before = await configMaps();
  const login = `302 ${own.identityProvider}/application/o/authorize/`;
  await until(login, "/open");
  await expect(stack.up(config(["/open"], [FAILING]))).rejects.toThrow(/"?missing"? not found/);
  await until("200", "/open");
  const statement = await accessStatement();
  expect(statement.split("\n\n")[0]).toBe("Access: no changes since the last complete deployment");
  expect(statement).toContain(`${own.origin("board.localhost")}\n      a session is needed again for /open\n`);
  await stack.up(config());
  await until(login, "/open");
  expect(await configMaps()).toEqual(before);
  expect(await stack.preview(config())).toMatchObject({ steps: [] });
  expect(await accessStatement()).toBe("Access: no changes");
});

test("serves a service again after a reverted change of its groups, if its outpost no longer has its provider", async () => {
  const changed = config([], [], undefined, ["staff", "admins"]);
  // The pods of an outpost come after its record, and that after the applications of its providers.
  const remove = await occupyDeployment(outpostFor("admins,staff", stack.planOf(changed)));
  await expect(stack.up(changed)).rejects.toThrow("already exists");
  await remove();
  // What an outpost loads at any time, e.g. when it starts: the application of its provider has another one now.
  const address = await restartOutpost(outpostFor("staff", plan));
  expect(await forwardAuthStatus(address, "board.localhost")).toBe(400);
  await stack.up(config());
  // Twice the interval at which outposts load their providers, and less than authentik's default of five minutes.
  await until(`302 ${own.identityProvider}/application/o/authorize/`, "/", undefined, 120_000);
});

function outpostFor(groups: string, { outposts }: Plan): Outpost {
  const outpost = outposts.find((one) => one.groups.join() === groups);
  if (!outpost) throw new Error(`the plan has no outpost for ${groups}`);
  return outpost;
}

/** Creates a Deployment with the name of an outpost's. @returns removes it */
async function occupyDeployment({ name, namespace }: Outpost): Promise<() => Promise<void>> {
  const labels = { app: "occupied" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "none", image: "none" }] } };
  const spec = { replicas: 0, selector: { matchLabels: labels }, template };
  await own.apps.createNamespacedDeployment({ namespace, body: { metadata: { name }, spec } });
  return async () => void (await own.apps.deleteNamespacedDeployment({ name, namespace }));
}

/** Replaces the pod of an outpost, and waits until the new one has loaded its providers. @returns its address */
async function restartOutpost({ name, namespace }: Outpost): Promise<string> {
  const pod = async (): Promise<V1Pod | undefined> => {
    const { items } = await own.core.listNamespacedPod({ namespace });
    return items.find(({ metadata }) => metadata?.name?.startsWith(`${name}-`) && !metadata.deletionTimestamp);
  };
  const before = await pod();
  await own.core.deleteNamespacedPod({ namespace, name: before?.metadata?.name ?? "" });
  const isReplaced = async (): Promise<void> => {
    const after = await pod();
    expect(after?.metadata?.uid).not.toBe(before?.metadata?.uid);
    expect(after && isReadyPod(after)).toBe(true);
  };
  await vi.waitFor(isReplaced, { timeout: 240_000, interval: 100 });
  return `http://${(await pod())?.status?.podIP}:9000`;
}

/** Returns what an outpost itself responds when the gateway asks it about a request to a host. */
async function forwardAuthStatus(address: string, host: string): Promise<number> {
  const forwarded = new URL(own.origin(host));
  const headers = { "x-forwarded-proto": "http", "x-forwarded-host": forwarded.host, "x-forwarded-uri": "/" };
  const url = `${address}/outpost.goauthentik.io/auth/traefik`;
  return (await withClient((client) => client.send(url, { headers }))).status;
}

const killed = FULL ? [false, true] : [false];
test.each(killed)("closes what a killed deployment opened (checkpoints, refresh: %s)", async (both) => {
  const added = Array.from({ length: 4 }, (_, index) => service(`new-${index}`, { domains: ["localhost"] }));
  const more = [notes("localhost", "partner"), ...added];
  const policy = await policyOf("board-localhost");
  const isOpen = async () =>
    (await responseOf("/open")) === "200" &&
    (await responseOf("/", "notes.partner.test")) === "200" &&
    (await policyOf("board-localhost")) !== policy;
  const args = [own.platform, SHARED, config(["/open"], [], more, ["staff", "admins"]), both];
  expect(await killedProcess("deployOwn.ts", args, isOpen)).toBe("SIGKILL");
  stack = await own.open(SHARED);
  if (both) {
    // As `deploy --refresh` does.
    await recover(stack.stack, () => {});
    await keepingUpdates(stack.stack, () => stack.stack.refresh());
  }
  await stack.up(config());
  await until(`302 ${own.identityProvider}/application/o/authorize/`, "/open");
  await until("404", "/", "notes.partner.test");
  expect(await policyOf("board-localhost")).toBe(policy);
  expect(await stack.preview(config())).toMatchObject({ steps: [] });
});

fullTest("creates an object again if a finalizer delays its deletion", async () => {
  const robot = { name: "robot", namespace: "default" };
  await stack.up(config([], [robot]));
  await setFinalizers("robot-account", ["gatehouse.test/keep"]);
  onTestFinished(() => setFinalizers("robot-account", []));
  const deleting = async () => (await metadataOf("robot-account")).deletionTimestamp !== undefined;
  const args = [own.platform, SHARED, config(), false];
  expect(await killedProcess("deployOwn.ts", args, deleting)).toBe("SIGKILL");
  stack = await own.open(SHARED);
  const abort = new AbortController();
  const reported: string[] = [];
  const report = (text: string): void => {
    reported.push(text);
    abort.abort();
  };
  const { unread } = await recover(stack.stack, report, abort.signal);
  expect([reported, unread.length]).toEqual([["waiting for the deletion of machine-robot-secret"], 1]);
  const deployed = stack.up(config([], [robot]));
  const wasRead = async (): Promise<void> =>
    expect(JSON.stringify(await exportState(stack.stack))).toContain("deletionTimestamp");
  await vi.waitFor(wasRead, { timeout: 240_000, interval: 100 });
  await setFinalizers("robot-account", []);
  await deployed;
  expect(await metadataOf("robot-account")).not.toHaveProperty("deletionTimestamp");
  await stack.up(config());
});

async function metadataOf(name: string): Promise<V1ObjectMeta> {
  const { metadata = {} } = await own.core.readNamespacedSecret({ name, namespace: "default" });
  return metadata;
}

/** Replaces the finalizers of a Secret as another controller does. */
async function setFinalizers(name: string, finalizers: readonly string[]): Promise<void> {
  await own.core.patchNamespacedSecret(
    { name, namespace: "default", body: { metadata: { finalizers } } },
    setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
  );
}

fullTest("runs the SQL again that a failed deployment replaced", async () => {
  Object.assign(process.env, { DATA_AUTHENTICATOR_PASSWORD: "authenticator", DATA_OWNER_PASSWORD: "owner" });
  const data = (fields: object): Config => ({
    ...config(),
    "gatehouse:data_api": {
      domains: "auto",
      catalog: false,
      database: {
        name: "gatehouse",
        protect: false,
      },
      ...fields,
      authenticator_password: "${DATA_AUTHENTICATOR_PASSWORD}",
      owner_password: "${DATA_OWNER_PASSWORD}",
    },
  });
  const first = data({ replicas: 1, limits: { max_age: 30 } });
  await stack.up(first);
  await untilCachedFor(30);
  // What another manager has set makes the autoscaler fail, which comes after the migrations.
  await setMinReplicas(3);
  await expect(stack.up(data({ replicas: 2, limits: { max_age: 31 } }))).rejects.toThrow("autoscaler");
  await untilCachedFor(31);
  await setMinReplicas(1);
  await stack.up(first);
  await untilCachedFor(30);
  expect(await stack.preview(first)).toMatchObject({ steps: [] });
});

/** Waits until responses of the data API may be cached for this time, in seconds. */
async function untilCachedFor(seconds: number): Promise<void> {
  const check = async (): Promise<void> => {
    const response = await withClient((client) =>
      client.send(`${own.origin("data.localhost")}/meta_endpoints?limit=1`),
    );
    expect(headerOf(response, "cache-control")).toBe(`public, max-age=${seconds}`);
  };
  await vi.waitFor(check, { timeout: 240_000, interval: 100 });
}

/** Sets a field of the data API's autoscaler as another field manager does. */
async function setMinReplicas(minReplicas: number): Promise<void> {
  const kubeconfig = RetryingKubeConfig.fromFile(own.platform.kubeconfig);
  const body = { spec: { minReplicas } };
  await kubeconfig
    .makeApiClient(AutoscalingV2Api)
    .patchNamespacedHorizontalPodAutoscaler(
      { name: "postgrest", namespace: "gatehouse-data", body, fieldManager: "autoscaling-tool" },
      setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
    );
}
