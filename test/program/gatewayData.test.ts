import { beforeAll, describe, expect, test } from "vitest";
import { sections, stack } from "../config/stacks.ts";
import { deploy, PATIENCE } from "../helpers/program.ts";

const EDGE = {
  enabled: true,
  base_domain: "edge.org",
  protocol: "https",
  tls: "upstream",
  description: "Behind a proxy",
};

interface Spec {
  readonly spec: Readonly<Record<string, unknown>>;
}

describe("the data API's part of the gateway under mocks", () => {
  let middlewares: ReadonlyMap<string, Spec>;
  const spec = (name: string) => middlewares.get(`gatehouse-data/${name}`)?.spec;

  beforeAll(async () => {
    const link = "https://data.example.org/versions";
    const schemas = { deprecated: { raw: { since: "2026-01-01", sunset: "2027-01-31", link } } };
    const domains = { localhost: {}, edge: EDGE };
    const recorder = await deploy(
      stack({ domains, protected_services: [], data_api: { ...sections.data_api, schemas } }),
    );
    middlewares = recorder.objects<Spec>("traefik.io/v1alpha1:Middleware");
  }, PATIENCE);

  test("identifies a client by its address, its /64, or the last address of the proxy", () => {
    const near = { sourceCriterion: { ipStrategy: { ipv6Subnet: 64 } } };
    const far = { sourceCriterion: { ipStrategy: { ipv6Subnet: 64, depth: 1 } } };
    expect(spec("gatehouse-rate-limit")).toEqual({ rateLimit: { average: 50, burst: 100, ...near } });
    expect(spec("gatehouse-rate-limit-upstream")).toEqual({ rateLimit: { average: 50, burst: 100, ...far } });
    expect(spec("gatehouse-in-flight")).toEqual({ inFlightReq: { amount: 6, ...near } });
    expect(spec("gatehouse-in-flight-upstream")).toEqual({ inFlightReq: { amount: 6, ...far } });
  });

  test("passes one schema to PostgREST, and the deprecation to the client", () => {
    expect(spec("gatehouse-profile-marts")).toEqual({
      headers: { customRequestHeaders: { "Accept-Profile": "marts" } },
    });
    expect(spec("gatehouse-profile-raw")).toEqual({
      headers: {
        customRequestHeaders: { "Accept-Profile": "raw" },
        customResponseHeaders: {
          Deprecation: "@1767225600",
          Sunset: "Sun, 31 Jan 2027 00:00:00 GMT",
          Link: '<https://data.example.org/versions>; rel="deprecation"; type="text/html"',
        },
      },
    });
    expect(spec("gatehouse-openapi")).toEqual({ replacePath: { path: "/rpc/document" } });
  });

  test.each([
    ["limit=1&order=name.desc", true],
    ["select=a,b(c)&b.order=c.asc&name=eq.%41&title=eq.json_agg", true],
    ["name=eq.%C3%A5&order=%C3%A5r", true],
    [Array.from({ length: 500 }, () => "a=1").join("&"), true],
    [`order=${"id,".repeat(99)}id&b.order=${"id%2C".repeat(99)}id`, true],
    [`sort_order=in.(${"1,".repeat(200)}1)`, true],
    [`id=in.(${"1,".repeat(3_996)})`, true],
    [`limit=1&order=${"id,".repeat(100)}id`, false],
    [`limit=1;b%2Eorder=${"id%2c".repeat(100)}id`, false],
    [`id=in.(${"1,".repeat(3_997)})`, false],
    ["name=eq.50%", false],
    ["name=eq.%zz&limit=1", false],
    ["limit=1&order=json_agg", false],
    ["limit=1;b.order=id,%22jsonb_agg%22.desc", false],
    ["order=%6Ason_agg", false],
    ["order=%22json%5C_agg%22", false],
    ['b.order="json\\_agg"', false],
    ["work_order=like.50%5C%25*", true],
    ["%6Frder=id", false],
    [Array.from({ length: 501 }, () => "").join("&"), false],
    [Array.from({ length: 501 }, () => "").join(";"), false],
  ])("routes the query %s: %s", (query, isRouted) => {
    const { redirectRegex } = spec("gatehouse-unrouted-query") as { redirectRegex: { regex: string } };
    expect(redirectRegex).toMatchObject({ replacement: "/rpc/unrouted-query" });
    expect(new RegExp(redirectRegex.regex).test(`http://data.localhost/relation?${query}`)).toBe(!isRouted);
  });

  test("passes an exact count alone", () => {
    for (const count of ["exact", "planned", "estimated"]) {
      const customRequestHeaders = { Prefer: `count=${count}` };
      expect(spec(`gatehouse-${count}-count`)).toEqual({ headers: { customRequestHeaders } });
    }
  });

  test("passes no credentials, and allows every origin to read", () => {
    const { headers } = spec("gatehouse-anonymous") as { headers: Record<string, unknown> };
    expect(headers["customRequestHeaders"]).toEqual({
      Authorization: "",
      Cookie: "",
      "Content-Profile": "",
      "X-Gatehouse-Proxies": "0",
    });
    expect(headers["accessControlAllowOriginList"]).toEqual(["*"]);
    expect(headers["accessControlAllowMethods"]).toEqual(["GET", "HEAD", "OPTIONS"]);
    expect(headers["accessControlAllowCredentials"]).toBe(undefined);
  });
});
