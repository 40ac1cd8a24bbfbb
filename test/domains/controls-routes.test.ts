/** For each defence in a rule: without it the attack works, with it it does not. So the advisory tests can fail. */
import { describe, expect, inject, test } from "vitest";
import type { Exposure } from "../../infra/plan/types.ts";
import { pathBelow } from "../../infra/plan/matchers.ts";
import { prove, type TraefikObject, withObjects } from "./cluster.ts";
import { type Line, outcome, sendRaw } from "./raw.ts";
import { exposureOf } from "./world.ts";

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
  const elsewhere = (): string => exposureOf("authentik", "localhost").backend.namespace;
  const home = "default";
  const mark = (namespace: string): TraefikObject => ({
    ...{ kind: "Middleware", name: "control-mark", namespace },
    spec: { headers: { customResponseHeaders: { "X-Control": "yes" } } },
  });

  /** Two rules that differ in one reference: a good one that shows that Traefik has read them, and the attack. */
  function route(namespace: string, exposure: Exposure, attack: Readonly<Record<string, unknown>>): TraefikObject {
    const { name, port } = exposure.backend;
    const rule = (path: string) => ({
      ...{ kind: "Rule", match: `Host(\`control.localhost\`) && Path(\`${path}\`)`, priority: 1_000 },
      ...{ middlewares: [{ name: "control-mark" }], services: [{ name, port, nativeLB: true }] },
    });
    const routes = [rule("/good"), { ...rule("/attack"), ...attack }];
    return { kind: "IngressRoute", name: "control", namespace, spec: { entryPoints: ["web"], routes } };
  }

  const asks = (reference: object) => ({ middlewares: [{ name: "control-mark" }, reference] });
  const attacks: [string, () => TraefikObject[]][] = [
    [
      "names no middleware of another",
      () => [
        mark(elsewhere()),
        route(elsewhere(), exposureOf("authentik", "localhost"), asks({ name: "gatehouse-strip", namespace: home })),
      ],
    ],
    [
      "names no middleware of another by its full name",
      () => [
        mark(elsewhere()),
        route(
          elsewhere(),
          exposureOf("authentik", "localhost"),
          asks({ name: "default-legacy-basic-auth@kubernetescrd" }),
        ),
      ],
    ],
    [
      "names no service of another",
      () => {
        const { name, port, namespace } = exposureOf("authentik", "localhost").backend;
        return [mark(home), route(home, forward(), { services: [{ name, namespace, port, nativeLB: true }] })];
      },
    ],
  ];

  test.each(attacks)("%s", async (_name, objects) => {
    const url = `http://control.localhost:${inject("domains").httpPort}`;
    await withObjects(objects(), async () => {
      const good = async () => (await sendRaw(`${url}/good`)).headers["x-control"];
      await expect.poll(good, { timeout: 20_000, interval: 100 }).toBe("yes");
      expect(outcome(await sendRaw(`${url}/attack`))).toBe("404");
    });
  });
});
