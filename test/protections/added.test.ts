/** Adds a protection that exists in this test only: its module and its line in the table are enough. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { stackSchema } from "../../config/jsonSchema.ts";
import { parseStack } from "../../config/load.ts";
import { cidr } from "../../config/schema/fields.ts";
import { middlewareSpec } from "../../infra/gateway/specs.ts";
import { computePlan } from "../../infra/plan/plan.ts";
import { dnsLabel } from "../../infra/plan/dnsLabel.ts";
import { outsideTarget } from "../../infra/verification/outsideTarget.ts";
import { accessDiff, sentenceOf } from "../../ops/checks/diff/diff.ts";
import { type Entry, entryFields } from "../../protections/entry.ts";
import type { Protection } from "../../protections/protection.ts";
import { PROTECTIONS } from "../../protections/table.ts";
import { proxy, shell, stack } from "../config/stacks.ts";

const schema = z.strictObject({
  type: z.literal("network").describe("Only requests from the allowed networks."),
  ...entryFields,
  allowed_networks: z.array(cidr()).describe("Networks of the allowed clients."),
});
type NetworkService = Entry<typeof schema>;

const network = {
  schema,
  gateway: {
    name: "network",
    headers: [],
    hasBackgroundRule: false,
    middlewares: (_, { name: service, allowedNetworks }) => [
      {
        name: dnsLabel(service, "network"),
        kind: "authentication",
        service,
        spec: { ipAllowList: { sourceRange: [...allowedNetworks] } },
      },
    ],
  },
  usesIdentityProvider: false,
  audience: { name: "network", text: "clients in the allowed networks" },
  strength: () => 1,
  expectation: () => ({ page: { kind: "status", status: 403 }, refusals: [], signIn: undefined }),
} satisfies Protection<NetworkService>;

beforeAll(() => void (PROTECTIONS["network"] = network));
afterAll(() => void delete PROTECTIONS["network"]);

const entry = {
  name: "wiki",
  type: "network",
  description: "Handbook",
  domains: "auto",
  allowed_networks: ["10.0.0.0/8"],
  service: { namespace: "apps" },
};
const settingsOf = (service: object) =>
  parseStack(stack({ domains: { localhost: {} }, protected_services: [service] }), shell);
const planOf = (service: object) => computePlan(settingsOf(service));

test("accepts an entry with the fields of its schema", () => {
  expect(settingsOf(entry).services).toEqual([
    {
      type: "network",
      name: "wiki",
      description: "Handbook",
      domains: ["localhost"],
      publicPaths: [],
      backend: {
        name: "wiki",
        namespace: "apps",
        port: 80,
      },
      groups: [],
      session: "hours=12",
      allowedNetworks: ["10.0.0.0/8"],
    },
  ]);
});

test("rejects a field of another type", () => {
  expect(() => settingsOf({ ...entry, groups: ["staff"] })).toThrow(
    'protected_services[0].groups "wiki": a service of type network has no groups. Remove it, or use type proxy or oauth2.',
  );
});

test("is in the JSON Schema of a stack file", () => {
  expect(JSON.stringify(stackSchema())).toContain('"const":"network"');
});

test("is the protection of an exposure", () => {
  const exposure = planOf(entry).exposures.find(({ role }) => role === "service");
  expect(exposure).toMatchObject({ protection: "network", authentication: "network", application: undefined });
});

test("adds its middleware to the routes of the service and of its test environment", () => {
  const plan = planOf(entry);
  const rules = plan.routes.flatMap((route) => route.rules).filter(({ exposure }) => exposure.includes("wiki"));
  expect(rules.map(({ exposure, authentication, middlewares }) => [exposure, authentication, middlewares])).toEqual([
    ["wiki@localhost", "network", ["gatehouse-strip", "gatehouse-target", "wiki-network"]],
    ["whoami-wiki@localhost", "network", ["gatehouse-strip", "gatehouse-target", "wiki-network"]],
  ]);
  const middleware = plan.middlewares.find(({ name, namespace }) => name === "wiki-network" && namespace === "apps");
  const deployed = { authAddress: () => "", users: () => "" };
  expect(middleware && middlewareSpec(middleware, deployed)).toEqual({ ipAllowList: { sourceRange: ["10.0.0.0/8"] } });
});

test("is verified by its expectation", () => {
  const settings = settingsOf(entry);
  const exposures = outsideTarget(settings, computePlan(settings)).exposures.filter(({ role }) => role === "service");
  expect(exposures.map(({ expectation }) => expectation)).toEqual([
    { page: { kind: "status", status: 403 }, refusals: [], signIn: undefined },
  ]);
});

test("is in an access diff", () => {
  const changes = accessDiff(planOf(proxy({ service: { namespace: "apps" } })), planOf(entry));
  const shown = changes.filter(({ implied, where }) => !implied && where === "http://wiki.localhost");
  expect(shown.map((change) => [change.effect, sentenceOf(change)])).toEqual([
    ["more", "is protected by network instead of protected by proxy"],
    ["more", "admits clients in the allowed networks instead of everyone who can sign in"],
    ["other", "the application no longer receives all 6 headers \u2068X-idp-*\u2069"],
  ]);
});
