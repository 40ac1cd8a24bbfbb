import { beforeAll, describe, expect, test } from "vitest";
import { sections, stack } from "../config/stacks.ts";
import { deploy, PATIENCE } from "../helpers/program.ts";

const EDGE = {
  ...{ enabled: true, base_domain: "edge.org", protocol: "https", tls: "upstream", description: "Behind a proxy" },
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

  test("matches a query as a whole or not at all, and an exact count alone", () => {
    const regex = "^([^?]*)[?].*%(?:$|[^0-9A-Fa-f]|[0-9A-Fa-f](?:$|[^0-9A-Fa-f])).*$";
    expect(spec("gatehouse-whole-query")).toEqual({ redirectRegex: { regex, replacement: "${1}" } });
    for (const count of ["exact", "planned", "estimated"]) {
      const customRequestHeaders = { Prefer: `count=${count}` };
      expect(spec(`gatehouse-${count}-count`)).toEqual({ headers: { customRequestHeaders } });
    }
  });

  test("passes no credentials, and allows every origin to read", () => {
    const { headers } = spec("gatehouse-anonymous") as { headers: Record<string, unknown> };
    expect(headers["customRequestHeaders"]).toEqual({
      ...{ Authorization: "", Cookie: "", "Content-Profile": "", "X-Gatehouse-Proxies": "0" },
    });
    expect(headers["accessControlAllowOriginList"]).toEqual(["*"]);
    expect(headers["accessControlAllowMethods"]).toEqual(["GET", "HEAD", "OPTIONS"]);
    expect(headers["accessControlAllowCredentials"]).toBe(undefined);
  });
});
