import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { LOOKED_UP } from "../../../infra/identity/defaults.ts";
import { findGroup } from "../../../infra/identity/groups.ts";
import { missingNow, waitUntilReady } from "../../../infra/identity/readiness.ts";
import { BLUEPRINT, ReadinessServer, settings, TOKEN } from "./readinessServer.ts";

const LONG = 20_000;
const SHORT = 1;

let api: ReadinessServer;
let url: string;
let reports: string[];
const wait = (
  fields: { version?: string; blueprint?: typeof BLUEPRINT | undefined; groups?: string[]; timeout?: number } = {},
) =>
  waitUntilReady(
    url,
    TOKEN,
    { version: "2026.5.7", blueprint: BLUEPRINT, timeout: LONG, interval: 0, ...fields },
    (missing) => reports.push(missing),
  );
/** The message of the error that a wait ends with. */
const failure = (fields?: Parameters<typeof wait>[0]): Promise<string> =>
  wait({ timeout: SHORT, ...fields }).then(
    () => "no error",
    (error: unknown) => (error as Error).message,
  );

beforeEach(async () => {
  api = new ReadinessServer();
  url = await api.start();
  reports = [];
});
afterEach(async () => {
  expect(reports.join("\n")).not.toContain(TOKEN);
  await api.stop();
});

test("returns at once when nothing is missing", async () => {
  await wait();
  expect(reports).toEqual([]);
  expect(api.requests.filter((request) => request === "GET /admin/version/")).toEqual(["GET /admin/version/"]);
});

test("waits for every looked-up object and for the blueprint, in any order", async () => {
  const steps: ((server: ReadinessServer) => void)[] = [
    ...LOOKED_UP.flows.map((flow) => (server: ReadinessServer) => void server.flows.add(flow)),
    ...LOOKED_UP.mappings.map((mapping) => (server: ReadinessServer) => void server.mappings.add(mapping)),
    (server) => void server.keyPairs.add(LOOKED_UP.keyPair),
    (server) => void server.blueprints.push(settings()),
  ];
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(steps, { minLength: steps.length }), async (order) => {
      api.empty();
      const left = [...order];
      api.beforePoll = () => left.shift()?.(api);
      await wait();
      expect(left).toEqual([]);
    }),
    { numRuns: 16 },
  );
});

test("reports what is missing once for each change", async () => {
  api.keyPairs.clear();
  api.blueprints = [];
  let polls = 0;
  api.beforePoll = () => {
    polls += 1;
    if (polls === 4) api.keyPairs.add(LOOKED_UP.keyPair);
    if (polls === 7) api.blueprints = [settings({ status: "unknown" })];
    if (polls === 9) api.blueprints = [settings()];
  };
  await wait();
  expect(reports).toEqual([
    'key pair "authentik Self-signed Certificate"',
    "blueprint gatehouse/settings.yaml: not discovered by the worker",
    "blueprint gatehouse/settings.yaml: status unknown",
  ]);
});

test("creates the groups that are missing, and keeps those that exist", async () => {
  await wait({ groups: ["staff", "Staff", "editors & co"] });
  expect(api.groups).toEqual(["authentik Admins", "staff", "Staff", "editors & co"]);
});

test("returns the group whose name matches in case, and undefined without one", async () => {
  expect(await findGroup(url, TOKEN, "staff")).toEqual({ id: "pk-staff", superusers: false });
  expect(await findGroup(url, TOKEN, "Staff")).toBe(undefined);
  expect(await findGroup(url, TOKEN, "authentik Admins")).toEqual({ id: "pk-authentik Admins", superusers: true });
});

test("returns undefined for a group if the user of the token may not list groups", async () => {
  api.failure = [403, "{}"];
  expect(await findGroup(url, TOKEN, "staff")).toBe(undefined);
  api.failure = [400, "{}"];
  await expect(findGroup(url, TOKEN, "staff")).rejects.toThrow(/^\/core\/groups\/ answers 400$/);
});

describe("the error after the timeout", () => {
  test.each<[string, () => unknown, string]>([
    ["a missing flow", () => api.flows.delete("default-invalidation-flow"), 'flow "default-invalidation-flow"'],
    [
      "missing scope mappings",
      () => LOOKED_UP.mappings.slice(-2).forEach((managed) => api.mappings.delete(managed)),
      "scope mapping goauthentik.io/providers/oauth2/scope-offline_access, goauthentik.io/providers/oauth2/scope-authentik_api",
    ],
    ["a missing key pair", () => api.keyPairs.clear(), 'key pair "authentik Self-signed Certificate"'],
    ["a blueprint that is not discovered", () => (api.blueprints = []), "not discovered by the worker"],
    [
      "a blueprint of another content",
      () => (api.blueprints = [settings({ last_applied_hash: "hash-of-the-settings-before" })]),
      "blueprint gatehouse/settings.yaml: status successful, not of the current content",
    ],
    [
      "a response that is not JSON",
      () => (api.failure = [200, `<html>${TOKEN}`]),
      "/admin/version/ answers with something other than a JSON object",
    ],
    [
      "the JSON of a server that starts",
      () => (api.failure = [200, `{"error":"${TOKEN}"}`]),
      "/admin/version/ answers with an error, as while the server starts",
    ],
    [
      "JSON of another program",
      () => (api.failure = [200, `{"status":"${TOKEN}"}`]),
      "no version in the response of /admin/version/",
    ],
    ["the status of a refusal", () => (api.failure = [403, TOKEN]), "/admin/version/ answers 403"],
  ])("names %s", async (_, prepare, missing) => {
    prepare();
    const message = await failure();
    expect(message).toContain(`the identity provider at ${url} was not ready after `);
    expect(message).toContain(missing);
    expect(message).not.toContain(TOKEN);
  });

  test("names the cause when no server listens", async () => {
    await api.stop();
    expect(await failure()).toContain("ECONNREFUSED");
  });
});

test.each([
  ["503 while the server starts", 503],
  ["403 before the bootstrap token exists", 403],
  ["400 for an object that does not exist yet", 400],
  ["502 of the gateway", 502],
])("waits for %s", async (_, status) => {
  api.failures.push([status, "{}"], [status, TOKEN], [status, ""]);
  await wait();
  expect(reports).toEqual([`/admin/version/ answers ${status}`]);
});

test.each([429, 502, 503])("repeats a request after %i also when it does not wait for the server", async (status) => {
  api.failures.push([status, "{}"]);
  expect(await missingNow(url, TOKEN, "2026.5.7")).toBeUndefined();
});

test.each(["2026.4.3", "2026.8.0", "2025.5.6"])("refuses a server of version %s at once", async (version) => {
  api.version = version;
  expect(await failure({ timeout: LONG })).toBe(
    `the identity provider at ${url} is authentik ${version}, and identity_provider.version is 2026.5.7. ` +
      "Set version to what runs there, or update the server.",
  );
  expect(api.requests).toEqual(["GET /admin/version/"]);
});

describe("blueprints with an error", () => {
  const APPLY = "POST /managed/blueprints/7/apply/";
  const failed = () => ({ ...settings({ pk: "7", status: "error" }), path: "default/flow-oobe.yaml" });

  test("are applied again when the stack installs the server", async () => {
    api.blueprints = [settings(), failed()];
    api.flows.clear();
    api.beforePoll = () => {
      if (api.requests.includes(APPLY)) LOOKED_UP.flows.forEach((flow) => api.flows.add(flow));
    };
    await wait();
    expect(api.requests.filter((request) => request.startsWith("POST"))).toEqual([APPLY]);
  });

  test("are left alone on an existing server", async () => {
    api.blueprints = [failed()];
    api.flows.clear();
    // Its time is over after so many requests, however fast the machine is.
    const began = Date.now();
    const clock = vi.spyOn(Date, "now").mockImplementation(() => began + (api.requests.length > 40 ? 2 * LONG : 0));
    expect(await failure({ blueprint: undefined, timeout: LONG }).finally(() => clock.mockRestore())).toContain("flow");
    expect(api.requests.filter((request) => request.startsWith("POST"))).toEqual([]);
  });
});

test("needs no blueprint of an existing server", async () => {
  api.blueprints = [];
  await wait({ blueprint: undefined });
  expect(api.requests).not.toContain("GET /managed/blueprints/");
});
