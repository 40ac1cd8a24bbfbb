/** For each defence in a rule: without it the attack works, with it it does not. So the advisory tests can fail. */
import { randomUUID } from "node:crypto";
import { describe, expect, inject, test } from "vitest";
import type { Exposure } from "../../infra/plan/types.ts";
import { pathBelow } from "../../infra/plan/matchers.ts";
import { markOf, prove, type TraefikObject, withObjects } from "./cluster.ts";
import { type Line, outcome, sendRaw } from "./raw-requests.ts";
import { exposureOf } from "./fixtures.ts";

const chain = ["gatehouse-strip"];
const forward = (): Exposure => exposureOf("forward", "localhost");
const host = "Host(`forward.localhost`)";

/** A public path whose rule is written in some way, and a request that should not be public. */
function publicPath(rule: string, target: string, lines: Line[] = []): Promise<void> {
  const { url } = forward();
  return prove({
    exposure: forward(),
    ready: `${url}/open`,
    attack: () => sendRaw(url, { target, lines }),
    seen: outcome,
    without: { chain, match: `${host} && (Path(\`/open\`) || ${rule})`, gives: `200 shows ${target}` },
    with: { chain, match: `${host} && ${pathBelow("/open")}`, gives: `login for ${url}${target}` },
  });
}

describe("a public path", () => {
  test("ends with its segment", () => publicPath("PathPrefix(`/open`)", "/opener"));

  test("is not left through a path parameter", () => publicPath("PathPrefix(`/open/`)", "/open/..;/secret"));

  // CVE-2025-54576, CVE-2026-34457, CVE-2026-40575, CVE-2026-76835 (oauth2-proxy).
  test("is no query", () => publicPath("Query(`path`, `/open`)", "/secret?path=/open"));

  test("is no user agent", () =>
    publicPath("HeaderRegexp(`User-Agent`, `^kube-probe/`)", "/secret", [["User-Agent", "kube-probe/1.36"]]));

  test("is no header that names another path", () =>
    publicPath("HeaderRegexp(`X-Original-URL`, `^/open`)", "/secret", [["X-Original-URL", "/open"]]));
});

describe("a host", () => {
  test("is a whole name, where a pattern would take others", async () => {
    const { url, host: own } = forward();
    await prove({
      exposure: forward(),
      attack: () => sendRaw(`${url}/control`, { host: `x${own}.evil.test` }),
      seen: outcome,
      without: { chain, match: "HostRegexp(`forward.localhost`) && Path(`/control`)", gives: "200 shows /control" },
      with: { chain, gives: "404" },
    });
  });
});

/** CVE-2026-65601, CVE-2026-85594, CVE-2026-112778. That Traefik refuses is its `allowCrossNamespace: false`, set outside the cluster. */
describe("a route of one namespace", () => {
  const authentik = (): Exposure => exposureOf("authentik", "localhost");
  const elsewhere = (): string => authentik().backend.namespace;
  const home = "default";
  /** Two rules that differ in one reference: a good one that shows that Traefik has read them, and the attack. */
  function route(
    mark: string,
    namespace: string,
    exposure: Exposure,
    attack: Readonly<Record<string, unknown>>,
  ): TraefikObject {
    const { name, port } = exposure.backend;
    const rule = (path: string) => ({
      ...{ kind: "Rule", match: `Host(\`control.localhost\`) && Path(\`${path}\`)`, priority: 1_000 },
      ...{ middlewares: [{ name: mark }], services: [{ name, port, nativeLB: true }] },
    });
    const { reference, ...fields } = attack;
    const middlewares = reference ? { middlewares: [{ name: mark }, reference] } : {};
    const routes = [rule("/good"), { ...rule("/attack"), ...middlewares, ...fields }];
    return { kind: "IngressRoute", name: "control", namespace, spec: { entryPoints: ["web"], routes } };
  }

  /** Where the route is, and the reference in its second rule. */
  const attacks: [string, () => [namespace: string, exposure: Exposure, attack: Readonly<Record<string, unknown>>]][] =
    [
      [
        "names no middleware of another",
        () => [elsewhere(), authentik(), { reference: { name: "gatehouse-strip", namespace: home } }],
      ],
      [
        "names no middleware of another by its full name",
        () => [elsewhere(), authentik(), { reference: { name: "default-legacy-basic-auth@kubernetescrd" } }],
      ],
      [
        "names no service of another",
        () => {
          const { name, port, namespace } = authentik().backend;
          return [home, forward(), { services: [{ name, namespace, port, nativeLB: true }] }];
        },
      ],
    ];

  test.each(attacks)("%s", async (_name, attack) => {
    const url = `http://control.localhost:${inject("domains").httpPort}`;
    const [namespace, exposure, second] = attack();
    const mark = { ...markOf(randomUUID()), namespace };
    await withObjects([mark, route(mark.name, namespace, exposure, second)], async () => {
      const good = async () => (await sendRaw(`${url}/good`)).headers["x-control"];
      await expect.poll(good, { timeout: 240_000, interval: 100 }).toBe(mark.name);
      expect(outcome(await sendRaw(`${url}/attack`))).toBe("404");
    });
  });
});
