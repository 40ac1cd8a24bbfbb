/** A deployment fails half-way, its change is reverted, and the stack is deployed again. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Plan } from "../../infra/plan/types.ts";
import { accessChanges } from "../../ops/engine/deployment/access.ts";
import { readState } from "../../ops/engine/state/stackState.ts";
import { statusAndTarget, withClient } from "../domains/fixtures.ts";
import {
  type Config,
  identityProvider,
  type OwnPlatform,
  type OwnStack,
  service,
  startOwnPlatform,
} from "./ownPlatform.ts";

/** In a namespace that does not exist, so that its Secret fails: after its user and token, which come after the routes. */
const FAILING = { name: "failing", namespace: "missing" };

let own: OwnPlatform;
let stack: OwnStack;
let plan: Plan;

beforeAll(async () => {
  own = await startOwnPlatform();
  stack = await own.open("revert");
  ({ plan } = await stack.up(config()));
});
afterAll(() => own.stop());

function config(publicPaths: readonly string[] = [], accounts: readonly object[] = []): Config {
  return own.installed([service("board", { public_paths: publicPaths })], {
    "gatehouse:identity_provider": identityProvider({ service_accounts: accounts }),
    "gatehouse:verification": {},
  });
}

/** Waits until a request without a session to the path gets the response: Traefik applies changes with a delay. */
async function until(expected: string, path: string): Promise<void> {
  const request = () => withClient((client) => client.send(`${own.origin("board.localhost")}${path}`));
  const check = async (): Promise<void> => expect(statusAndTarget(await request())).toBe(expected);
  await vi.waitFor(check, { timeout: 240_000, interval: 100 });
}

/** Returns each ConfigMap without the random suffix of its name. */
async function configMaps(): Promise<string[]> {
  const { items } = await own.core.listConfigMapForAllNamespaces();
  return items.map(({ metadata }) => `${metadata?.namespace}/${metadata?.name?.replace(/-[0-9a-z]{8}$/, "")}`).sort();
}

/** Returns the statement about the access that a deployment of the first configuration begins with. */
async function accessStatement(): Promise<string> {
  return accessChanges(await readState(stack.stack), plan).page((_, text) => text);
}

test("a revert reports and closes the public path of a failed deployment, and leaves none of its ConfigMaps", async () => {
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
