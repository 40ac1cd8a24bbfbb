import { describe, expect, test } from "vitest";
import { readSettings } from "../../catalog/server/settings.ts";

const DEFAULT_BASE_URL = "https://data.example.org";
const limits = {
  maxRows: 500,
  exactCountRows: 0,
  statementTimeout: 2500,
  maxAge: 30,
  requestsPerSecond: 7,
  burst: 8,
  inFlight: 9,
};
const LIMITS = JSON.stringify(limits);
const without = (name: string): string =>
  JSON.stringify(Object.fromEntries(Object.entries(limits).filter(([key]) => key !== name)));

describe("the server's settings", () => {
  test("have defaults for all but the data API's address and limits", () => {
    expect(readSettings({ DEFAULT_BASE_URL, LIMITS })).toEqual({
      host: "0.0.0.0",
      port: 8080,
      basePath: "/",
      baseUrls: new Map(),
      defaultBaseUrl: DEFAULT_BASE_URL,
      limits,
    });
  });

  test("are read from the environment, addresses without a trailing slash", () => {
    const environment = {
      HOST: "127.0.0.1",
      PORT: "80",
      BASE_PATH: "/a/b.c-1/",
      DEFAULT_BASE_URL: `${DEFAULT_BASE_URL}/`,
      BASE_URLS: '{"catalog.localhost:8080":"http://data.localhost:8080"}',
      LIMITS: JSON.stringify({
        ...limits,
        connections: 10,
      }),
    };
    expect(readSettings(environment)).toEqual({
      host: "127.0.0.1",
      port: 80,
      basePath: "/a/b.c-1/",
      defaultBaseUrl: DEFAULT_BASE_URL,
      limits,
      baseUrls: new Map([["catalog.localhost:8080", "http://data.localhost:8080"]]),
    });
  });

  test.each([
    ["PORT is not a port", { PORT: "http" }],
    ["PORT is not a port", { PORT: "-1" }],
    ["BASE_PATH is not a plain path", { BASE_PATH: "explore/" }],
    ["BASE_PATH is not a plain path", { BASE_PATH: "/explore" }],
    ["BASE_PATH is not a plain path", { BASE_PATH: '/"><script>/' }],
    ["BASE_URLS is not a JSON object", { BASE_URLS: "http://data.localhost" }],
    ["BASE_URLS is not a JSON object", { BASE_URLS: "[]" }],
    ["BASE_URLS has a value that is not an http or https address", { BASE_URLS: '{"a":1}' }],
    ["BASE_URLS has a value that is not an http or https address", { BASE_URLS: '{"a":"data.localhost"}' }],
    ["BASE_URLS has a value that is not an http or https address", { BASE_URLS: '{"a":"javascript:alert(1)"}' }],
    ["DEFAULT_BASE_URL is missing", { DEFAULT_BASE_URL: undefined }],
    ["DEFAULT_BASE_URL has a value that is not an http or https address", { DEFAULT_BASE_URL: "data" }],
    ["DEFAULT_BASE_URL has a value that is not an http or https address", { DEFAULT_BASE_URL: "https://a b" }],
    ["LIMITS is not a JSON object", { LIMITS: undefined }],
    ["LIMITS is not a JSON object", { LIMITS: "null" }],
    ...Object.keys(limits).map((name): [string, Record<string, string>] => [
      `LIMITS has no whole number for ${name}`,
      { LIMITS: without(name) },
    ]),
    ["LIMITS has no whole number for maxRows", { LIMITS: JSON.stringify({ ...limits, maxRows: "500" }) }],
    ["LIMITS has no whole number for burst", { LIMITS: JSON.stringify({ ...limits, burst: 1.5 }) }],
    ["LIMITS has no whole number for inFlight", { LIMITS: JSON.stringify({ ...limits, inFlight: -1 }) }],
  ])("are rejected where %s: %j", (problem, environment) => {
    expect(() => readSettings({ DEFAULT_BASE_URL, LIMITS, ...environment })).toThrow(problem);
  });

  test.each([
    "https://data.example.org; script-src *",
    "https://data.example.org/;script-src",
    "https://data.example.org 'unsafe-inline'",
  ])("reject an address that would change the Content-Security-Policy: %s", (address) =>
    expect(() => readSettings({ DEFAULT_BASE_URL: address, LIMITS })).toThrow("not an http or https address"),
  );
});
