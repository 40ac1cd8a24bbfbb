import { expect, onTestFinished, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import type { StackContext } from "../../../ops/context/context.ts";
import { refuseTakenNames, takenNames } from "../../../ops/deployment/takenNames.ts";
import type { Resource } from "../../../ops/engine/state/state.ts";
import { oauth2, proxy, stack } from "../../config/stacks.ts";
import { startAuthentikLists } from "../../helpers/authentikLists.ts";

const raw = stack({
  protected_services: [
    proxy({ name: "wiki", application_slug: "wiki" }),
    oauth2({ name: "notes" }, { client_id: "grafana" }),
  ],
});
const settings = parseStack(raw, {}, { secretsRequired: false });
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
      `protected_services[0].application_slug: URL already has an object Application with the slug "${forwarded}". Choose another slug, or delete that application.`,
      `protected_services[1].application_slug: URL already has an object Application with the slug "${slug}". Choose another slug, or delete that application.`,
    ],
  );
});

test("names the entry whose client id another provider has, also one of a deployed service with another slug", async () => {
  const lists = {
    "/providers/oauth2/": [
      { name: "old", client_id: "grafana" },
      { name: "x", client_id: "Grafana" },
    ],
  };
  const provider = creation("authentik:index/providerOauth2:ProviderOauth2", { name: slug, clientId: "grafana" });
  expect(await problems(lists, [provider])).toEqual([
    "protected_services[1].oauth_config.client_id: URL already has a provider with this client id. Choose another one; of a deployed service, change name and application_slug one after the other.",
  ]);
});

test("names the type and the name of an object without an entry", async () => {
  const lists = { "/core/users/": [{ username: "inge" }, { username: "Gast" }] };
  const user = (username: string) => creation("authentik:index/user:User", { username });
  expect(await problems(lists, [user("inge"), user("gast")])).toEqual([
    'URL already has an object User with the username "inge". Rename or delete it there.',
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

test("compares the client id of the stack file, which the preview masks, once the stack is deployed", async () => {
  const {
    url: apiUrl,
    requests,
    close,
  } = await startAuthentikLists({
    "/providers/oauth2/": [{ name: "old", client_id: "grafana" }],
  });
  onTestFinished(close);
  const identityProvider = { ...settings.identityProvider, apiUrl };
  const environment = { TOKEN: "token-canary" };
  const context = { ...target, settings: { ...settings, identityProvider }, raw, environment, local: false };
  const provider = creation("authentik:index/providerOauth2:ProviderOauth2", { name: slug, clientId: "[secret]" });
  const refuse = (deployed: boolean) =>
    refuseTakenNames(context as unknown as StackContext, deployed, environment, [provider], (text) => {
      throw new Error(text);
    });
  await expect(refuse(true)).rejects.toThrow(`${apiUrl} already has a provider with this client id`);
  expect(requests).toHaveLength(2);
  await refuse(false);
  expect(requests).toHaveLength(2);
});
