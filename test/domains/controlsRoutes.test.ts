/** Controls of the advisory tests for each defence in a router rule: the attack succeeds without it and fails with it. */
import { randomUUID } from "node:crypto";
import { describe, expect, inject, test } from "vitest";
import type { Exposure } from "../../infra/plan/types.ts";
import { echoes, hostIs, pathBelow } from "../../infra/plan/matchers.ts";
import { markOf, verifyControl, type TraefikObject, withObjects } from "./cluster.ts";
import { type Line, outcome, type RawRequest, sendRaw } from "./rawRequests.ts";
import { exposureOf } from "./fixtures.ts";

const chain = ["gatehouse-strip"];
const forward = (): Exposure => exposureOf("forward", "localhost");
const host = "Host(`forward.localhost`)";

/** Verifies that a rule for public paths also matches a request that must not be public, and that Gatehouse's rule does not. */
function verifyPublicPath(rule: string, target: string, lines: Line[] = []): Promise<void> {
  const { url } = forward();
  return verifyControl({
    exposure: forward(),
    ready: `${url}/open`,
    attack: () => sendRaw(url, { target, lines }),
    observe: outcome,
    without: { chain, match: `${host} && (Path(\`/open\`) || ${rule})`, expected: `200 shows ${target}` },
    with: { chain, match: `${host} && ${pathBelow("/open")}`, expected: `login for ${url}${target}` },
  });
}

describe("a public path", () => {
  test("matches whole segments only", () => verifyPublicPath("PathPrefix(`/open`)", "/opener"));

  test.each([
    "/open/..;/secret",
    "/open/..%2Fsecret",
    "/open/..%5Csecret",
    "/open/..%3B/secret",
    "/open/%252e%252e/secret",
  ])("does not match %s, which servers read in different ways", (target) =>
    verifyPublicPath("PathPrefix(`/open/`)", target),
  );

  // CVE-2025-54576, CVE-2026-34457, CVE-2026-40575, CVE-2026-76835 (oauth2-proxy).
  test("does not depend on the query", () => verifyPublicPath("Query(`path`, `/open`)", "/secret?path=/open"));

  test("does not depend on the user agent", () =>
    verifyPublicPath("HeaderRegexp(`User-Agent`, `^kube-probe/`)", "/secret", [["User-Agent", "kube-probe/1.36"]]));

  test("does not depend on a header with another path", () =>
    verifyPublicPath("HeaderRegexp(`X-Original-URL`, `^/open`)", "/secret", [["X-Original-URL", "/open"]]));
});

describe("a host", () => {
  test("matches the whole name only", async () => {
    const { url, host: own } = forward();
    await verifyControl({
      exposure: forward(),
      attack: () => sendRaw(`${url}/control`, { host: `x${own}.evil.test` }),
      observe: outcome,
      without: { chain, match: "HostRegexp(`forward.localhost`) && Path(`/control`)", expected: "200 shows /control" },
      with: { chain, expected: "404" },
    });
  });
});

describe("the open test host", () => {
  test.each<[string, RawRequest]>([
    ["a new status of the health check", { method: "POST", target: "/health", body: "500" }],
    ["any number of bytes", { target: "/data?size=1&unit=mb" }],
    ["any number of bytes, in another spelling of the path", { target: "/x/..//%64ata?size=1&unit=mb" }],
    ["a delayed response", { target: "/?wait=1ms" }],
  ])("does not route a request for %s", async (_, request) => {
    const exposure = exposureOf("whoami-public", "localhost");
    await verifyControl({
      exposure,
      attack: () => sendRaw(exposure.url, request),
      observe: ({ status }) => status,
      without: { chain, match: hostIs(exposure), expected: 200 },
      with: { chain, match: `${hostIs(exposure)} && ${echoes()}`, expected: 404 },
    });
  });
});

describe("a request target with a scheme", () => {
  const exposure = (): Exposure => exposureOf("whoami-public", "localhost");

  // Traefik matches the path `/`, and sends what follows the colon.
  test("does not name another host and path than the matched ones", async () => {
    const match = `${hostIs(exposure())} && (Path(\`/\`) || Path(\`/control\`))`;
    await verifyControl({
      exposure: exposure(),
      attack: () => sendRaw(exposure().url, { target: "x:http://other.test/secret" }),
      observe: ({ body }) => /^GET .*|^Host: .*/gm.exec(body)?.[0],
      without: { chain, match, expected: "GET http://other.test/secret HTTP/1.1" },
      with: { chain: [...chain, "gatehouse-target"], match, expected: "GET /secret HTTP/1.1" },
    });
  });

  test.each(["x:http://other.test/data?size=1&unit=mb", "x:http://other.test/%64ata?size=1&unit=mb"])(
    "does not reach a path that the open test host refuses: %s",
    async (target) => {
      const match = `${hostIs(exposure())} && ${echoes()}`;
      const targets = [...chain, "gatehouse-target"];
      await verifyControl({
        exposure: exposure(),
        attack: () => sendRaw(exposure().url, { target }),
        observe: ({ status }) => status,
        without: { chain: targets, match, expected: 200 },
        with: { chain: [...targets, "gatehouse-refused-echoes"], match, expected: 302 },
      });
    },
  );
});

/** CVE-2026-65601, CVE-2026-85594, CVE-2026-112778. Traefik rejects them because of `allowCrossNamespace: false`, which is set outside the cluster. */
describe("a route of one namespace", () => {
  const authentik = (): Exposure => exposureOf("authentik", "localhost");
  const authentikNamespace = (): string => authentik().backend.namespace;
  const stackNamespace = "default";
  /** Returns a route with two rules that differ in one reference: a valid rule, which shows that Traefik has loaded the route, and the attack. */
  function route(
    mark: string,
    namespace: string,
    exposure: Exposure,
    attack: Readonly<Record<string, unknown>>,
  ): TraefikObject {
    const { name, port } = exposure.backend;
    const rule = (path: string) => ({
      kind: "Rule",
      match: `Host(\`control.localhost\`) && Path(\`${path}\`)`,
      priority: 1_000,
      middlewares: [{ name: mark }],
      services: [
        {
          name,
          port,
          nativeLB: true,
        },
      ],
    });
    const { reference, ...fields } = attack;
    const middlewares = reference ? { middlewares: [{ name: mark }, reference] } : {};
    const routes = [rule("/good"), { ...rule("/attack"), ...middlewares, ...fields }];
    return { kind: "IngressRoute", name: "control", namespace, spec: { entryPoints: ["web"], routes } };
  }

  /** Namespace and exposure of the route, and the reference in its second rule. */
  const attacks: [string, () => [namespace: string, exposure: Exposure, attack: Readonly<Record<string, unknown>>]][] =
    [
      [
        "cannot reference a middleware of another namespace",
        () => [
          authentikNamespace(),
          authentik(),
          { reference: { name: "gatehouse-strip", namespace: stackNamespace } },
        ],
      ],
      [
        "cannot reference a middleware of another namespace by its full name",
        () => [authentikNamespace(), authentik(), { reference: { name: "default-legacy-basic-auth@kubernetescrd" } }],
      ],
      [
        "cannot reference a Service of another namespace",
        () => {
          const { name, port, namespace } = authentik().backend;
          return [stackNamespace, forward(), { services: [{ name, namespace, port, nativeLB: true }] }];
        },
      ],
    ];

  test.each(attacks)("%s", async (_name, attack) => {
    const url = `http://control.localhost:${inject("domains").httpPort}`;
    const [namespace, exposure, second] = attack();
    const mark = { ...markOf(randomUUID()), namespace };
    await withObjects([mark, route(mark.name, namespace, exposure, second)], async () => {
      const isLoaded = async () => (await sendRaw(`${url}/good`)).headers["x-control"];
      await expect.poll(isLoaded, { timeout: 240_000, interval: 100 }).toBe(mark.name);
      expect(outcome(await sendRaw(`${url}/attack`))).toBe("404");
    });
  });
});
