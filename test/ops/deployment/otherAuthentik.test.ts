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

interface State {
  /** Flows in the state, of Gatehouse's own provider. */
  readonly flows?: readonly string[];
  readonly installed?: boolean;
  /** Whether the next deployment installs authentik. */
  readonly install?: boolean;
  /** Flows that the server shows. */
  readonly shown?: readonly string[];
}

const provider = (name: string) => `urn:pulumi:prod::gatehouse::pulumi:providers:authentik::${name}::id`;
const resource = (type: string, fields: object) => ({ urn: `urn:pulumi:prod::gatehouse::${type}::x`, type, ...fields });

async function problems({ flows = [], installed = false, install = false, shown = ["a", "b"] }: State) {
  const { url, close } = await startAuthentikLists({ "/flows/instances/": shown.map((pk) => ({ pk })) });
  onTestFinished(close);
  const identityProvider = { ...settings.identityProvider, install: install ? {} : undefined, apiUrl: url };
  const plan = computePlan(settings);
  const context = { raw, environment: secrets, local: false, plan, settings: { ...settings, identityProvider } };
  const type = "authentik:index/providerOauth2:ProviderOauth2";
  const other = { provider: provider("second"), inputs: { authorizationFlow: "of another server" } };
  const own = flows.map((flow) =>
    resource(type, { provider: provider("authentik"), inputs: { authorizationFlow: flow } }),
  );
  const installation = installed ? [resource("gatehouse:identity:Installation", {})] : [];
  const state = stateOf([resource(type, other), ...own, ...installation]);
  const found = await otherAuthentikProblems(context as unknown as StackContext, state, secrets);
  return found.map((text) => text.replaceAll(url, "URL"));
}

const HINT =
  "Ids in the state would name objects of others there: those of users and providers are small numbers. Set the former one. To move the stack to another " +
  "authentik, see docs/operations/moving.md.";

test("refuses another authentik than that of the last deployment", async () => {
  expect(await problems({ flows: ["c", "d"] })).toEqual([
    `identity_provider.api_url: URL is not the authentik of the last deployment, or its database is another one: it has none of the flows in the state. ${HINT}`,
  ]);
});

test("refuses to install one for a stack that used an existing one", async () => {
  expect(await problems({ flows: ["a"], install: true })).toEqual([
    `identity_provider.install: the last deployment used an authentik that exists. ${HINT}`,
  ]);
});

test.each<[string, State]>([
  ["the same authentik", { flows: ["b"] }],
  ["the same authentik, of which one flow was created again", { flows: ["c", "b"] }],
  ["a first deployment", {}],
  ["the first deployment of an authentik that the stack installs", { install: true }],
  ["an authentik that the stack installed", { flows: ["c"], install: true, installed: true }],
  ["an existing authentik with the database of the installed one", { flows: ["a"], installed: true }],
  ["a server that shows no flows, which the preview needs", { flows: ["c"], shown: [] }],
])("accepts %s", async (_, state) => {
  expect(await problems(state)).toEqual([]);
});
