/** Names that change between two deployments, or that another object has. */
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { fullTest } from "../helpers/fullTest.ts";
import { type Config, type EchoService, type OwnPlatform, type OwnStack, service } from "../helpers/ownPlatform.ts";
import { identityProvider } from "../helpers/sections.ts";
import { openShared } from "./stack.ts";

const OAUTH = {
  type: "oauth2",
  application_slug: "notes",
  oauth_config: {
    client_id: "notes",
    client_secret: "${CLIENT_SECRET}",
    redirect_uri: "/callback",
  },
};
const BEFORE = [service("wiki"), service("notes", OAUTH), service("board", { groups: ["staff"] })];
/** Another service has the name of a renamed one. */
const AFTER = [
  service("docs", { application_slug: "wiki" }),
  service("wiki", { application_slug: "new" }),
  service("memos", OAUTH),
  service("board", { groups: ["staff"] }),
];

let own: OwnPlatform;
let stack: OwnStack;

beforeAll(async () => {
  ({ own, stack } = await openShared());
  await stack.up(config(BEFORE));
});
afterAll(() => own.stop());

function config(services: readonly EchoService[]): Config {
  const section = identityProvider({ service_accounts: [{ name: "reporter" }] });
  return own.installed(services, { "gatehouse:identity_provider": section });
}

async function stepsOf(changed: Config): Promise<string[]> {
  const { steps } = await stack.preview(changed);
  return steps.map(({ operation, type, name }) => `${operation} ${type} ${name.replace(/-[0-9a-f]{8}(?=-|$)/, "")}`);
}

/** Returns the addresses and client ids in the machine's Secret. */
async function clientIds(): Promise<Record<string, string>> {
  const { data } = await own.core.readNamespacedSecret({ name: "reporter-account", namespace: "default" });
  return JSON.parse(Buffer.from(data?.["CLIENT_IDS"] ?? "", "base64").toString()) as Record<string, string>;
}

const url = (name: string): string => own.origin(`${name}.localhost`);

fullTest("keeps the objects of a deployment whose resources have the names of older programs", async () => {
  const state = JSON.stringify(await stack.stack.exportStack());
  const older = state
    .replaceAll(/::(wiki|board)-localhost-(?:[0-9a-f]{8}-)?(?=provider|application|binding)/g, "::$1@localhost-")
    .replaceAll(/::notes-(?=provider|application|credentials)/g, "::notes-oauth2-");
  expect(older.match(/::(wiki@localhost|notes-oauth2)-provider"/g)).not.toBe(null);
  await stack.stack.importStack(JSON.parse(older) as Parameters<typeof stack.stack.importStack>[0]);
  expect(await stepsOf(config(BEFORE))).toEqual([]);
  await stack.up(config(BEFORE));
  expect(JSON.stringify(await stack.stack.exportStack())).not.toContain("wiki@localhost-");
});

test("keeps the objects of a renamed service in the identity provider, and creates those of one that gets its name", async () => {
  const before = await clientIds();
  expect((await stepsOf(config(AFTER))).sort()).toEqual([
    "create Application new-localhost-application",
    "create IngressRoute docs-route",
    "create IngressRoute memos-route",
    "create ProviderProxy new-localhost-provider",
    "delete IngressRoute notes-route",
    "replace Secret machine-reporter-secret",
    "replace Secret notes-credentials",
    "update Application notes-application",
    "update Application wiki-localhost-application",
    "update IngressRoute gatehouse-outpost-localhost-route",
    "update Outpost gatehouse-outpost-all-users-outpost",
    "update ProviderOauth2 notes-provider",
    "update ProviderProxy wiki-localhost-provider",
  ]);
  await stack.up(config(AFTER));
  const after = await clientIds();
  expect(Object.keys(after).sort()).toEqual([url("docs"), url("wiki")]);
  expect(after[url("docs")]).toBe(before[url("wiki")]);
  expect(after[url("wiki")]).not.toBe(before[url("wiki")]);
});

test("keeps the Secrets of machines if another application has the slug of a new service", async () => {
  await own.administrator.call("POST", "/core/applications/", { name: "By hand", slug: "late-localhost" });
  onTestFinished(() => own.administrator.call<void>("DELETE", "/core/applications/late-localhost/"));
  const before = await clientIds();
  await expect(stack.up(config([...AFTER, service("late")]))).rejects.toThrow(
    "late-localhost-application: HTTP Error '400 Bad Request'",
  );
  expect(await clientIds()).toEqual(before);
});
