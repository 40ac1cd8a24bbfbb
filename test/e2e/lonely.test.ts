/**
 * An outpost with a single provider answers for every host with that one's sessions (authentik's outpost, `Handle`: "If we only have one
 * handler, host name switching doesn't matter"). So no other host may be routed to it, not even for a moment.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { signIn } from "../../ops/clients/signIn.ts";
import { withClient } from "../domains/world.ts";
import { GAST, type OwnPlatform, type OwnStack, service, startOwnPlatform } from "./ownPlatform.ts";
import { probe } from "./probe.ts";

const LONELY = service("lonely");
const INNER = service("inner", { groups: ["staff"] });

let own: OwnPlatform;
let stack: OwnStack;
/** Of somebody who may enter the former, and not the latter. */
let cookie: string;

beforeAll(async () => {
  own = await startOwnPlatform();
  stack = await own.open("lonely");
  await stack.up(own.installed([LONELY]));
  await own.administrator.create(GAST);
  cookie = await withClient(async (client) => {
    await signIn(client, `${url("lonely")}/`, GAST);
    return client.cookies.getCookieString(url("lonely"));
  });
});
afterAll(() => own.stop());

function url(name: string): string {
  return own.origin(`${name}.localhost`);
}

test.each([
  { change: "comes", services: [LONELY, INNER] },
  { change: "goes", services: [LONELY] },
])("a second service that $change is never open to the sessions of the first", async ({ services }) => {
  const inner = probe(`${url("inner")}/`, { cookie });
  const lonely = probe(`${url("lonely")}/`, { cookie });
  await stack.up(own.installed(services));
  const tally = await inner.stop();
  expect(Object.keys(await lonely.stop())).toEqual(["200"]);
  expect([inner.leaked.length, tally["200"]]).toEqual([0, undefined]);
});
