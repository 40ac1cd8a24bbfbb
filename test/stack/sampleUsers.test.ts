/** A changed password of a sample user is in effect after the deployment. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { signIn } from "../../ops/clients/signIn.ts";
import { withClient } from "../domains/fixtures.ts";
import { type Config, type OwnPlatform, type OwnStack, service } from "../helpers/ownPlatform.ts";
import { identityProvider } from "../helpers/sections.ts";
import { openShared, waitUntilServed } from "./stack.ts";

const HOST = "sampled.localhost";
const VARIABLE = "SAMPLE_PASSWORD";

let own: OwnPlatform;
let stack: OwnStack;

beforeAll(async () => {
  ({ own, stack } = await openShared());
  process.env[VARIABLE] = "first password";
  await stack.up(config());
  await waitUntilServed(own, HOST);
});
afterAll(() => own.stop());

function config(): Config {
  const user = { username: "sampled", name: "Sampled", email: "sampled@example.org", groups: ["samples"] };
  const users = [{ ...user, password: `\${${VARIABLE}}` }];
  return own.installed([service("sampled", { groups: ["samples"] })], {
    "gatehouse:identity_provider": identityProvider({ sample_users: users }),
  });
}

/** Returns the status of the service, in whose group the user is; throws what authentik answers to a wrong password. */
function status(password: string): Promise<number> {
  return withClient(async (client) => {
    return (await signIn(client, `${own.origin(HOST)}/`, { username: "sampled", password })).status;
  });
}

test("signs a sample user in with the changed password only, and in the groups of the stack file", async () => {
  expect(await status("first password")).toBe(200);
  process.env[VARIABLE] = "second password";
  const { changes } = await stack.up(config());
  expect(changes).toMatchObject({ replace: 1 });
  await expect(status("first password")).rejects.toThrow("Invalid password");
  expect(await status("second password")).toBe(200);
  expect(Object.keys((await stack.up(config())).changes).sort()).toEqual(["read", "same"]);
});
