/**
 * An outpost with a single provider accepts that provider's sessions for every host (authentik's outpost, `Handle`: "If we only have one
 * handler, host name switching doesn't matter"). So no other host may be routed to it at any moment.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { signIn } from "../../ops/clients/signIn.ts";
import { withClient } from "../domains/fixtures.ts";
import { GAST, type OwnPlatform, type OwnStack, service } from "../helpers/ownPlatform.ts";
import { probe } from "../helpers/probe.ts";
import { createUsers, openShared, waitUntilServed } from "./stack.ts";

const FIRST = service("first");
const SECOND = service("second", { groups: ["staff"] });

let own: OwnPlatform;
let stack: OwnStack;
/** Session of a user who is allowed at the first service only. */
let cookie: string;

beforeAll(async () => {
  ({ own, stack } = await openShared());
  await stack.up(own.installed([FIRST]));
  await waitUntilServed(own, "first.localhost");
  await createUsers(own, GAST);
  cookie = await withClient(async (client) => {
    expect((await signIn(client, `${url("first")}/`, GAST)).status).toBe(200);
    return client.cookies.getCookieString(url("first"));
  });
});
afterAll(() => own.stop());

function url(name: string): string {
  return own.origin(`${name}.localhost`);
}

test.each([
  { change: "added", services: [FIRST, SECOND] },
  { change: "removed", services: [FIRST] },
])("rejects sessions of the first service while a second one is $change", async ({ services }) => {
  const second = probe(`${url("second")}/`, { cookie });
  const first = probe(`${url("first")}/`, { cookie });
  await stack.up(own.installed(services));
  const tally = await second.stop();
  expect(Object.keys(await first.stop())).toEqual(["200"]);
  expect([second.leaked.length, tally["200"]]).toEqual([0, undefined]);
});
