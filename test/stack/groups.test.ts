/** Groups in authentik remain when the stack no longer uses them: users and applications that the stack does not know may use them as well. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { signIn } from "../../ops/clients/signIn.ts";
import { changeResources } from "../../ops/engine/state/state.ts";
import { withClient } from "../domains/fixtures.ts";
import { fullTest } from "../helpers/fullTest.ts";
import { type EchoService, INGE, type OwnPlatform, type OwnStack, service } from "../helpers/ownPlatform.ts";
import { openShared } from "./stack.ts";

const EDITOR = { ...INGE, username: "editor", groups: ["editors"] };
const GROUP = "authentik:index/group:Group";
const UNUSED = [service("open")];
const USED = [...UNUSED, service("closed", { groups: ["editors"] })];

let own: OwnPlatform;
let stack: OwnStack;

beforeAll(async () => {
  ({ own, stack } = await openShared());
  await up(USED);
  await own.administrator.create(EDITOR);
  const { pk } = await own.administrator.call<{ pk: string }>("POST", "/core/applications/", {
    name: "By hand",
    slug: "by-hand",
  });
  await own.administrator.call("POST", "/policies/bindings/", { target: pk, group: await groupId(), order: 0 });
});
afterAll(async () => {
  await own.administrator.call("DELETE", "/core/applications/by-hand/");
  await own.stop();
});

test("keeps the members and manual bindings of a group after its last use, and admits the members in the next use", async () => {
  const before = await editors();
  expect(before).toEqual({ id: await groupId(), members: ["editor"], applications: ["by-hand"] });

  const { steps } = await stack.preview(own.installed(UNUSED));
  expect(steps.filter(({ type }) => type === "Group")).toEqual([]);
  await up(UNUSED);
  expect(await editors()).toEqual(before);

  await up(USED);
  expect(await editors()).toEqual(before);
  await withClient(async (client) => {
    expect((await signIn(client, `${own.origin("closed.localhost")}/`, EDITOR)).status).toBe(200);
  });
});

fullTest("keeps a group that an earlier version created, and only reads it", async () => {
  await up(USED);
  const before = await editors();
  await changeResources(stack.stack, (resources) =>
    resources.map((one) => (one.type === GROUP ? { ...one, external: false, inputs: { name: "editors" } } : one)),
  );
  await up(USED);
  await up(UNUSED);
  expect(await editors()).toEqual(before);
});

fullTest("creates a group again that was deleted in authentik", async () => {
  await up(USED);
  await own.administrator.call("DELETE", `/core/groups/${await groupId()}/`);
  await up(USED);
  expect(await editors()).toEqual({ id: await groupId(), members: [], applications: [] });
});

const up = (services: readonly EchoService[]) => stack.up(own.installed(services));

async function groupId(): Promise<string> {
  const [group] = await own.administrator.all<{ pk: string }>("/core/groups/", { name: "editors" });
  if (!group) throw new Error("no group editors");
  return group.pk;
}

interface Binding {
  readonly target: string;
  readonly group: string | null;
}

/** Returns the group's id, its members, and the applications that are bound to it. */
async function editors(): Promise<{ id: string; members: string[]; applications: string[] }> {
  const id = await groupId();
  const users = await own.administrator.all<{ username: string; groups: string[] }>("/core/users/");
  const bindings = await own.administrator.all<Binding>("/policies/bindings/");
  const targets = new Set(bindings.filter(({ group }) => group === id).map(({ target }) => target));
  const applications = await own.administrator.all<{ pk: string; slug: string }>("/core/applications/", {
    superuser_full_list: "true",
  });
  return {
    id,
    members: users.filter(({ groups }) => groups.includes(id)).map(({ username }) => username),
    applications: applications.filter(({ pk }) => targets.has(pk)).map(({ slug }) => slug),
  };
}
