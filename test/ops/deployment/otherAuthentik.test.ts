import { expect, onTestFinished, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import type { StackContext } from "../../../ops/context/context.ts";
import { otherAuthentikProblems } from "../../../ops/deployment/otherAuthentik.ts";
import { stateOf } from "../../../ops/engine/state/stackState.ts";
import { proxy, stack } from "../../config/stacks.ts";
import { startAuthentikLists } from "../../helpers/authentikLists.ts";

const raw = stack({ protected_services: [proxy({ name: "wiki" })] });
const settings = parseStack(raw, {}, { secretsRequired: false });
const secrets = { TOKEN: "token-canary" };
const FLOWS = [{ pk: "a" }, { pk: "b" }];

/** @param flow in the state of a stack; undefined before the first deployment */
async function problems(flow: string | undefined, install = false, flows: typeof FLOWS = FLOWS): Promise<string[]> {
  const { url, requests, close } = await startAuthentikLists({ "/flows/instances/": flows });
  onTestFinished(close);
  const identityProvider = { ...settings.identityProvider, install: install ? {} : undefined, apiUrl: url };
  const context = {
    raw,
    stack: "prod",
    environment: secrets,
    local: false,
    plan: computePlan(settings),
    settings: { ...settings, identityProvider },
  } as unknown as StackContext;
  const type = "authentik:index/providerOauth2:ProviderOauth2";
  const signer = { urn: `urn:pulumi:prod::gatehouse::${type}::x`, type, inputs: { authorizationFlow: flow } };
  const found = await otherAuthentikProblems(context, stateOf(flow === undefined ? [] : [signer]), secrets);
  expect(requests).toHaveLength(install || flow === undefined ? 0 : 1);
  return found.map((text) => text.replaceAll(url, "URL"));
}

test("refuses another authentik than that of the last deployment, whose ids name other objects", async () => {
  expect(await problems("c")).toEqual([
    "identity_provider.api_url: URL is not the authentik of the last deployment, or its database is another one: it has no flow with the id c. " +
      "Ids in the state would name objects of others there. Set the former address. To move the stack, first run pulumi destroy --stack prod with it; " +
      "if that server does not exist any more, use another stack.",
  ]);
});

test("accepts the same authentik, a first deployment, and an authentik that the stack installs", async () => {
  expect([await problems("b"), await problems(undefined), await problems("c", true)]).toEqual([[], [], []]);
});

test("leaves a server that shows no flows to the preview", async () => {
  expect(await problems("c", false, [])).toEqual([]);
});
