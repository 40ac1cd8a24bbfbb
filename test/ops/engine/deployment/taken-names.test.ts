import { expect, onTestFinished, test } from "vitest";
import { parseStack } from "../../../../config/load.ts";
import { computePlan } from "../../../../infra/plan/plan.ts";
import { takenNames } from "../../../../ops/engine/deployment/takenNames.ts";
import type { Resource } from "../../../../ops/engine/state/state.ts";
import { oauth2, proxy, stack } from "../../../config/stacks.ts";
import { startAuthentikLists } from "../../../helpers/authentikLists.ts";

const settings = parseStack(
  stack({ protected_services: [proxy({ name: "wiki", application_slug: "wiki" }), oauth2({ name: "notes" })] }),
  {},
  { secretsRequired: false },
);
const target = { settings, plan: computePlan(settings) };
const { slug } = target.plan.clients[0]?.application ?? { slug: "" };
const { slug: forwarded } = target.plan.exposures.find(({ entry }) => entry === "wiki")?.application ?? { slug: "" };

const creation = (type: string, inputs: object): Resource => ({
  urn: `urn:pulumi:dev::gatehouse::${type}::x`,
  type,
  inputs: { ...inputs },
});
const application = (name: string) => creation("authentik:index/application:Application", { slug: name, name });

async function problems(
  lists: Parameters<typeof startAuthentikLists>[0],
  creations: readonly Resource[],
): Promise<string[]> {
  const { url, close } = await startAuthentikLists(lists);
  onTestFinished(close);
  return (await takenNames(url, "token", creations, target)).map((text) => text.replaceAll(url, "URL"));
}

test("names the entry whose slug an application of authentik has, whatever the protection", async () => {
  const lists = { "/core/applications/": [{ slug }, { slug: forwarded }, { slug: `${slug}-2` }] };
  expect(await problems(lists, [application(slug), application(forwarded), application("gatehouse-identity")])).toEqual(
    [
      `protected_services[0].application_slug: URL has an object Application with the slug "${forwarded}", which is not of this stack. Choose another slug, or delete that application.`,
      `protected_services[1].application_slug: URL has an object Application with the slug "${slug}", which is not of this stack. Choose another slug, or delete that application.`,
    ],
  );
});

test("names the type and the name of an object without an entry", async () => {
  const lists = { "/core/users/": [{ username: "inge" }, { username: "Gast" }] };
  const user = (username: string) => creation("authentik:index/user:User", { username });
  expect(await problems(lists, [user("inge"), user("gast")])).toEqual([
    'URL has an object User with the username "inge", which is not of this stack. Rename or delete it there.',
  ]);
});

test("compares neither bindings nor objects of other providers", async () => {
  const binding = { target: "app", order: 0, group: null, policy: "members" };
  const lists = { "/policies/bindings/": [binding] };
  const others = [
    creation("authentik:index/policyBinding:PolicyBinding", { target: "app", order: 0, policy: "members" }),
    creation("kubernetes:core/v1:Secret", { metadata: { name: "wiki" } }),
  ];
  expect(await problems(lists, others)).toEqual([]);
});
