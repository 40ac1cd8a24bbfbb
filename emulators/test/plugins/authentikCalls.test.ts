import { afterEach, beforeEach, expect, test } from "vitest";

import { lives } from "./authentikReplay.ts";
import { openScene } from "./authentikServer.ts";
import type { Scene } from "./authentikServer.ts";

const FLOWS = {
  authorizationFlow: "3fff5949-d861-5777-b556-bc8105853766",
  invalidationFlow: "067ecd8d-09b1-543e-980a-82c82690082b",
};
const MAPPINGS = [
  "796bdd5a-6bad-5013-be22-75c414d5e2d7",
  "e1685066-486a-50c4-91fd-61cb8e6ba00c",
  "ecffd8da-5992-57b6-b971-7feb3d1fd7ec",
  "686f5840-5068-5e58-b371-a31a4c3fcedd",
  "22dbb71a-d40d-57c5-bbd7-253e3c74a0ff",
  "06db3545-8acb-45c4-b392-b7b75578638e",
];

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.close());

const UPDATE = "update: group attributes, user name and password, mapping expression";
const CREATE = "create: group, user with password, scope mapping";

test("sends the recorded requests for a group", async () => {
  await lives(scene, "Group", "/core/groups/", [
    { what: CREATE, create: { name: "team", attributes: '{"a":1}' } },
    { what: "refresh", refresh: true, server: { users: [3] } },
    { what: UPDATE, update: { name: "team", attributes: '{ "a": 2 }' }, changed: ["attributes"] },
    { what: "destroy", destroy: true },
  ]);
});

test("sets the password of a user once", async () => {
  const bob = { username: "bob", email: "bob@x.test", groups: ["a66c8633-9be4-4daf-a603-31abbcdfc24a"] };
  const state = await lives(scene, "User", "/core/users/", [
    { what: CREATE, create: { ...bob, name: "Bob", password: "<secret>" } },
    { what: "refresh", refresh: true },
    { what: UPDATE, update: { ...bob, name: "Bob B", password: "other" }, changed: ["name", "password"] },
    { what: "destroy", destroy: true },
  ]);
  expect(state.id).toBe("3");
});

test("sends the recorded requests for a scope mapping", async () => {
  const custom = { name: "custom", scopeName: "zz_custom" };
  await lives(scene, "PropertyMappingProviderScope", "/propertymappings/provider/scope/", [
    { what: CREATE, create: { ...custom, expression: "return {}\n" } },
    { what: "refresh", refresh: true },
    { what: UPDATE, update: { ...custom, expression: 'return {"x": 1}\n' }, changed: ["expression"] },
    { what: "destroy", destroy: true },
  ]);
});

test("sends no false or empty values for a proxy provider, and always has a diff with partial mappings", async () => {
  const whoami = { name: "whoami", mode: "forward_single", externalHost: "http://whoami.localhost", ...FLOWS };
  const optional = {
    accessTokenValidity: "hours=24",
    refreshTokenValidity: "days=1",
    basicAuthEnabled: true,
    basicAuthUsernameAttribute: "u",
    basicAuthPasswordAttribute: "p",
    cookieDomain: "x.test",
    internalHost: "http://i",
    skipPathRegex: "^/pub\n^/x",
  };
  const state = await lives(scene, "ProviderProxy", "/providers/proxy/", [
    {
      what: "create: proxy provider, six mappings, two flow lookups, one managed list lookup",
      create: { ...whoami, propertyMappings: MAPPINGS },
    },
    {
      what: "update proxy provider, all optional fields set",
      update: { ...whoami, propertyMappings: MAPPINGS, ...optional },
      changed: Object.keys(optional).sort(),
    },
    {
      what: "update proxy provider, falses and empties are left out of the body",
      update: { ...whoami, propertyMappings: MAPPINGS, interceptHeaderAuth: false, internalHostSslValidation: false },
      changed: [...Object.keys(optional), "interceptHeaderAuth", "internalHostSslValidation"].sort(),
      unsettled: ["interceptHeaderAuth", "internalHostSslValidation"],
    },
    {
      what: "partial mapping list: answer contains all, so the next run differs again",
      update: { ...whoami, propertyMappings: MAPPINGS.slice(5) },
      changed: ["propertyMappings"],
      server: { property_mappings: MAPPINGS },
      unsettled: ["propertyMappings"],
    },
    { what: "destroy", destroy: true },
  ]);
  expect(state.id).toBe("2");
});

const OAUTH = "create: oauth2 provider, application, policy binding, group; key pair lookup";
const SLUG = "application slug changed in place";

test("reads the secret of a new OAuth2 provider from the server, and sends that of the state later", async () => {
  const oa = {
    name: "oa",
    clientId: "oa-client",
    ...FLOWS,
    signingKey: "b277ce25-e258-5954-8b7d-1582e90e2bcd",
    propertyMappings: [MAPPINGS[0] ?? "", MAPPINGS[2] ?? ""],
    allowedRedirectUris: [
      { matching_mode: "strict", url: "https://a.test/cb" },
      { matching_mode: "strict", url: "https://b.test/cb" },
    ],
  };
  const changes = { accessTokenValidity: "hours=1", includeClaimsInIdToken: false, logoutUri: "https://a.test/lo" };
  await lives(scene, "ProviderOauth2", "/providers/oauth2/", [
    { what: OAUTH, create: oa },
    { what: "update of the three", update: { ...oa, ...changes }, changed: Object.keys(changes) },
    {
      what: SLUG,
      update: oa,
      changed: Object.keys(changes),
      server: { client_secret: "<secret>", logout_uri: "https://a.test/lo" },
      unsettled: ["logoutUri"],
    },
    { what: "destroy", destroy: true },
  ]);
});

test("uses the changed slug of an application at once, while the engine keeps the old id", async () => {
  const oa = { name: "OA", slug: "oa", protocolProvider: 3, metaLaunchUrl: "https://a.test/" };
  const state = await lives(scene, "Application", "/core/applications/", [
    { what: OAUTH, create: oa },
    {
      what: "update of the three",
      update: { name: "OA", slug: "oa", protocolProvider: 3, group: "G", metaDescription: "x" },
      changed: ["group", "metaDescription", "metaLaunchUrl"],
      unsettled: ["metaLaunchUrl"],
    },
    {
      what: SLUG,
      update: { ...oa, slug: "oa-2" },
      changed: ["group", "metaDescription", "slug"],
      unsettled: ["group", "metaDescription"],
    },
    { what: "destroy", destroy: true },
  ]);
  expect([state.id, state.slug, state.uuid]).toEqual(["oa", "oa-2", "8178f7f0-3f25-4c72-936c-8d093fcab5eb"]);
});

test("sends the recorded requests for a policy binding", async () => {
  const binding = { target: "8178f7f0-3f25-4c72-936c-8d093fcab5eb", group: "fa448f91-9c9c-4f77-831b-286a7e62b099" };
  await lives(scene, "PolicyBinding", "/policies/bindings/", [
    { what: OAUTH, create: { ...binding, order: 0 } },
    { what: "update of the three", update: { ...binding, order: 5 }, changed: ["order"] },
  ]);
});

test("uses the default settings of the server for an outpost without config", async () => {
  const ded = { name: "ded", protocolProviders: [3, 2] };
  const config = '{"log_level":"debug","authentik_host":"http://auth.localhost/"}';
  await lives(scene, "Outpost", "/outposts/instances/", [
    { what: "create outpost without config", create: ded },
    { what: "update outpost config", update: { ...ded, config }, changed: ["config"] },
    { what: "destroy", destroy: true },
  ]);
});

const FIVE = "create: blueprint, brand, service account, token, key pair";

test("sends the recorded requests for a blueprint", async () => {
  const bp1 = { name: "bp1", content: "version: 1\nmetadata:\n  name: x\nentries: []\n", context: '{"k":1}' };
  await lives(scene, "Blueprint", "/managed/blueprints/", [
    { what: FIVE, create: bp1 },
    { what: "refresh", refresh: true },
    {
      what: "update of the five",
      update: { ...bp1, content: "version: 1\nentries: [a]\n", enabled: false },
      changed: ["content", "enabled"],
    },
    { what: "token identifier changed in place", update: bp1, changed: ["content", "enabled"] },
    { what: "destroy", destroy: true },
  ]);
});

test("requests the key of a token with every read, and finds a renamed one", async () => {
  const token = { identifier: "my-token", user: 2, description: "d", expiring: false, retrieveKey: true };
  const state = await lives(scene, "Token", "/core/tokens/", [
    { what: FIVE, create: token },
    { what: "refresh", refresh: true },
    { what: "update of the five", update: { ...token, description: "d2" }, changed: ["description"] },
    {
      what: "token identifier changed in place",
      update: { ...token, identifier: "renamed" },
      changed: ["description", "identifier"],
    },
    { what: "destroy", destroy: true },
  ]);
  expect([state.id, state.tokenId, state.key]).toEqual(["my-token", "renamed", "<secret>"]);
});
