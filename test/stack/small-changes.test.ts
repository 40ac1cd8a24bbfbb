/** A small change of `protected_services` results in few steps and a short preview, and ends no session of another service. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { accessOf } from "../../infra/access/access.ts";
import { readState } from "../../ops/engine/state/stackState.ts";
import { signIn } from "../../ops/clients/signIn.ts";
import { statusAndTarget, withClient } from "../domains/fixtures.ts";
import { FULL } from "../helpers/full.ts";
import {
  type EchoService,
  identityProvider,
  INGE,
  type OwnPlatform,
  type OwnStack,
  service,
} from "../helpers/ownPlatform.ts";
import { createUsers, openShared, waitUntilServed } from "./stack.ts";

/** Number of lines of a terminal. */
const SCREEN = 40;
/** Progress lines, which a terminal overwrites, and warnings about plugins on PATH. */
const NOISE = /^@ previewing|warning: using pulumi-resource/;
const KEPT = Array.from({ length: 12 }, (_, index) => service(`kept-${index}`));
/** Returns the services with another one in the middle of each list. */
const withAdded = (fields: object = {}): EchoService[] => [
  ...KEPT.slice(0, 5),
  service("kept-4b", { ...fields }),
  ...KEPT.slice(5),
];
const LISTS = [
  "update IngressRoute gatehouse-outpost-localhost-route",
  "update Outpost gatehouse-outpost-all-users-outpost",
];

let own: OwnPlatform;
let stack: OwnStack;

beforeAll(async () => {
  ({ own, stack } = await openShared());
  await stack.up(own.installed(KEPT));
  await createUsers(own, INGE);
});
afterAll(() => own.stop());

/** Previews services, then deploys them. @returns the steps, without the hashes of outposts */
async function change(services: readonly EchoService[]): Promise<string[]> {
  const config = own.installed(services);
  const { steps, output } = await stack.preview(config);
  expect(output.split("\n").filter((line) => !NOISE.test(line)).length).toBeLessThan(SCREEN);
  const { plan } = await stack.up(config);
  expect((await readState(stack.stack)).access).toEqual(accessOf(plan));
  return steps
    .map(({ operation, type, name }) => `${operation} ${type} ${name.replace(/-[0-9a-f]{8}(?=-|$)/, "")}`)
    .sort();
}

describe("a proxy service on one domain", () => {
  test("adds only its objects, and updates the lists that contain it", async () => {
    expect(await change(withAdded())).toEqual([
      "create Application kept-4b-localhost-application",
      "create IngressRoute kept-4b-route",
      "create ProviderProxy kept-4b-localhost-provider",
      ...LISTS,
    ]);
    await waitUntilServed(own, "kept-4b.localhost");
  });

  test("changes only its route with a public path, and ends no session of another service", async () => {
    const cookie = await session("kept-0");
    expect(await change(withAdded({ public_paths: ["/health"] }))).toEqual(["update IngressRoute kept-4b-route"]);
    expect(await answer("kept-0", cookie)).toBe("200");
  });

  test("removes only its objects, and ends no session of another service", async () => {
    const cookie = await session("kept-0");
    expect(await change(KEPT)).toEqual([
      "delete Application kept-4b-localhost-application",
      "delete IngressRoute kept-4b-route",
      "delete ProviderProxy kept-4b-localhost-provider",
      ...LISTS,
    ]);
    expect(await answer("kept-0", cookie)).toBe("200");
  });

  test("moves to the outpost of its new groups, and ends no session of another service", async () => {
    await stack.up(own.installed(withAdded()));
    await waitUntilServed(own, "kept-4b.localhost");
    const cookie = await session("kept-0");
    expect(await change(withAdded({ groups: ["editors"] }))).toEqual(
      [
        "create Deployment gatehouse-outpost-editors-deployment",
        "create Middleware default/gatehouse-outpost-editors-forward-auth-401-middleware",
        "create Middleware default/gatehouse-outpost-editors-forward-auth-middleware",
        "create Outpost gatehouse-outpost-editors-outpost",
        "create PolicyBinding kept-4b-localhost-binding",
        "create PolicyExpression gatehouse-groups-editors-policy",
        "create Secret gatehouse-outpost-editors-environment",
        "create Service gatehouse-outpost-editors",
        "create Token gatehouse-outpost-editors-token",
        ...LISTS,
        "update IngressRoute kept-4b-route",
      ].sort(),
    );
    expect(await answer("kept-0", cookie)).toBe("200");
  });
});

describe("narrowed groups are in effect before another outpost serves the application", () => {
  const reader = { ...INGE, username: "reader", groups: ["readers"] };
  // The groups remain, and with them the reader's membership.
  const section = { "gatehouse:identity_provider": identityProvider({ groups: ["editors", "readers"] }) };
  const allowing = (groups: string[]) => own.installed(withAdded({ groups }), section);
  beforeAll(async () => {
    await stack.up(allowing(["readers"]));
    await own.administrator.create(reader);
  });

  const replaced: [string, string[], string[]] = ["a group is replaced", ["readers"], ["editors"]];
  const removed: typeof replaced = ["one of two groups is removed", ["editors", "readers"], ["editors"]];
  test.each(FULL ? [replaced, removed] : [replaced])("denies a removed group when %s", async (_, before, after) => {
    await stack.up(allowing(before));
    const provider = await providerOf("kept-4b-localhost");
    await withClient(async (client) => {
      expect((await signIn(client, `${url("kept-0")}/`, reader)).status).toBe(200);
      // 302 with a code, or 200 with the page "Permission denied".
      const authorize = async (): Promise<number> => (await client.send(authorizeUrl(provider))).status;
      expect(await authorize()).toBe(302);
      const deployed = stack.up(allowing(after));
      await vi.waitFor(async () => expect(await outpostsOf(provider.pk)).toContain("editors"), { timeout: 240_000 });
      const status = await authorize();
      await deployed;
      expect(status).toBe(200);
    });
  });
});

test("closes an application, and does not open it to every user, when its group is deleted in authentik", async () => {
  await stack.up(own.installed(withAdded({ groups: ["short-lived"] })));
  const provider = await providerOf("kept-4b-localhost");
  const [group] = await own.administrator.all<{ pk: string }>("/core/groups/", { name: "short-lived" });
  await own.administrator.call("DELETE", `/core/groups/${group?.pk}/`);
  await withClient(async (client) => {
    expect((await signIn(client, `${url("kept-0")}/`, INGE)).status).toBe(200);
    expect((await client.send(authorizeUrl(provider))).status).toBe(200);
  });
});

test("keeps the recorded access of the previous deployment after a failed one", async () => {
  const before = (await readState(stack.stack)).access;
  const failing = service("failing", {}, "missing-namespace");
  await expect(stack.up(own.installed([...KEPT, failing]))).rejects.toThrow(/missing-namespace/);
  expect((await readState(stack.stack)).access).toEqual(before);
});

const url = (name: string): string => own.origin(`${name}.localhost`);

/** Signs in and returns the session's cookie. */
function session(name: string, user = INGE): Promise<string> {
  return withClient(async (client) => {
    const { status } = await signIn(client, `${url(name)}/`, user);
    expect(status).toBe(200);
    return client.cookies.getCookieString(url(name));
  });
}

interface ProviderRecord {
  readonly pk: number;
  readonly name: string;
  readonly client_id: string;
  readonly redirect_uris: readonly { readonly url: string }[];
}

async function providerOf(name: string): Promise<ProviderRecord> {
  const found = (await own.administrator.all<ProviderRecord>("/providers/proxy/")).find((one) => one.name === name);
  if (!found) throw new Error(`no provider ${name}`);
  return found;
}

/** Returns where the outpost redirects a browser without a session to. */
function authorizeUrl({ client_id, redirect_uris: [callback] }: ProviderRecord): string {
  const query = { client_id, redirect_uri: callback?.url ?? "", response_type: "code", scope: "openid" };
  return `${own.identityProvider}/application/o/authorize/?${new URLSearchParams(query).toString()}`;
}

/** Returns the groups in the names of the outposts that serve a provider. */
async function outpostsOf(provider: number): Promise<string[]> {
  const all = await own.administrator.all<{ name: string; providers: number[] }>("/outposts/instances/");
  const serving = all.filter(({ providers }) => providers.includes(provider));
  return serving.map(({ name }) => name.replace(/^gatehouse-outpost-|-[0-9a-f]{8}$/g, ""));
}

/** Returns the status of a request with a cookie, and its redirect target. */
function answer(name: string, cookie: string): Promise<string> {
  return withClient(async (client) => statusAndTarget(await client.send(`${url(name)}/`, { headers: { cookie } })));
}
