import { join } from "node:path";
import { readFileSync } from "node:fs";
import { format } from "prettier";
import { describe, expect, test } from "vitest";
import { parseStack, readStackFile } from "../../../config/load.ts";
import { dnsLabel } from "../../../infra/plan/names.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import { basic, oauth2, proxy, sections, shell, stack } from "../../config/stacks.ts";
import { settingsOf } from "./stacks.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const BOTH = { localhost: true, mesh: true };

const planOf = (kinds: Record<string, boolean>, ...list: Record<string, unknown>[]) =>
  computePlan(settingsOf(kinds, list));
/** Match, priority, authentication and reason of every rule, by route. */
const rulesOf = (plan: ReturnType<typeof planOf>, name: string) =>
  plan.routes
    .filter((route) => route.name === name)
    .flatMap(({ rules }) =>
      rules.map(({ match, priority, authentication, openBecause }) => [match, priority, authentication, openBecause]),
    );

describe("the plan of the stack files", () => {
  test.each(["dev", "local"])("of %s is the one in test/golden", async (name) => {
    const raw = readStackFile(join(root, `Pulumi.${name}.yaml`), name);
    const plan = computePlan(parseStack(raw, {}, { secretsRequired: false }));
    const text = await format(JSON.stringify(plan), { parser: "json", printWidth: 120 });
    await expect(text).toMatchFileSnapshot(join(root, "test", "golden", `${name}.plan.json`));
  });

  test("of local names no address but loopback ones", () => {
    const text = readFileSync(join(root, "test", "golden", "local.plan.json"), "utf8");
    expect(new Set(text.match(/https?:\/\/[^"]+/g)?.map((url) => new URL(url).hostname.split(".").at(-1)))).toEqual(
      new Set(["localhost"]),
    );
  });
});

describe("an exposure", () => {
  test("has the port of its domain in its URL, unless it is the protocol's own", () => {
    const urls = (port: number) =>
      computePlan(parseStack(stack({ domains: { localhost: { port } }, protected_services: [proxy({})] }), shell))
        .exposures.filter(({ service }) => service === "wiki")
        .map(({ url }) => url);
    expect(urls(8080)).toEqual(["http://wiki.localhost:8080"]);
    expect(urls(80)).toEqual(["http://wiki.localhost"]);
  });

  test("of a proxy service has an application of its own, one of oauth2 shares the service's", () => {
    const plan = planOf(BOTH, proxy({}), oauth2({}), basic({}));
    expect(
      plan.exposures.filter(({ role }) => role === "service").map(({ id, application }) => [id, application]),
    ).toEqual([
      ["wiki@localhost", { name: "wiki", slug: "wiki-localhost" }],
      ["wiki@mesh", { name: "wiki", slug: "wiki-mesh" }],
      ["grafana@localhost", { name: "grafana", slug: "grafana" }],
      ["grafana@mesh", { name: "grafana", slug: "grafana" }],
      ["legacy@localhost", undefined],
    ]);
  });

  test("of the open test host is there with localhost and test environments only", () => {
    const hosts = (plan: ReturnType<typeof planOf>) => plan.exposures.map(({ host }) => host);
    expect(hosts(planOf({ localhost: true }))).toContain("whoami-public.localhost");
    expect(hosts(planOf({ localhost: false, mesh: true }))).toEqual([
      "authentik.mesh.example.org",
      "data.mesh.example.org",
    ]);
    const off = parseStack(stack({ test_environments: { enabled: false } }), shell);
    expect(hosts(computePlan(off))).not.toContain("whoami-public.localhost");
  });
});

describe("a route", () => {
  test("of a proxy service asks the identity provider, beside public paths and below the outpost's own", () => {
    const plan = planOf({ localhost: true }, proxy({ public_paths: ["/health", "/assets/"] }));
    expect(rulesOf(plan, "wiki")).toEqual([
      ["Host(`wiki.localhost`) && (Path(`/health`) || PathPrefix(`/health/`))", 200, "none", "public-path"],
      ["Host(`wiki.localhost`) && PathPrefix(`/assets/`)", 200, "none", "public-path"],
      ["Host(`wiki.localhost`)", 100, "forward-auth", undefined],
    ]);
    expect(rulesOf(plan, "gatehouse-outpost-localhost")).toEqual([
      ["Host(`wiki.localhost`) && PathPrefix(`/outpost.goauthentik.io/`)", 300, "none", "identity-provider"],
    ]);
  });

  test("of an oauth2 service lets the application refuse, or refuses for it", () => {
    const plan = planOf(
      { localhost: true },
      oauth2({}),
      oauth2({ name: "mail", application_slug: "mail", enforce: "gateway" }),
    );
    expect(rulesOf(plan, "grafana")).toEqual([["Host(`grafana.localhost`)", 100, "none", "application-login"]]);
    expect(rulesOf(plan, "mail")).toEqual([["Host(`mail.localhost`)", 100, "forward-auth", undefined]]);
    expect(rulesOf(plan, "gatehouse-outpost-localhost").map(([match]) => match)).toEqual([
      "Host(`mail.localhost`) && PathPrefix(`/outpost.goauthentik.io/`)",
    ]);
  });

  test("of a basic service asks for its password", () => {
    expect(rulesOf(planOf({ localhost: true }, basic({})), "legacy")).toEqual([
      ["Host(`legacy.localhost`)", 100, "basic-auth", undefined],
    ]);
  });

  test("of the data API takes reads of exposed schemas only", () => {
    expect(rulesOf(planOf({ localhost: true }), "gatehouse-data-api")).toEqual([
      [
        "Host(`data.localhost`) && (Method(`GET`) || Method(`HEAD`) || Method(`OPTIONS`)) && " +
          "(!HeaderRegexp(`Accept-Profile`, `.*`) || HeaderRegexp(`Accept-Profile`, `^(api_v1|marts|raw)$`))",
        100,
        "none",
        "data-api",
      ],
    ]);
  });

  test("is a second one where a service has domains with and without TLS", () => {
    const plan = planOf(BOTH, proxy({}));
    expect(
      plan.routes.map(({ namespace, name, rules }) => [`${namespace}/${name}`, rules.map(({ host }) => host)]),
    ).toEqual([
      ["authentik/gatehouse-identity-provider", ["authentik.localhost"]],
      ["authentik/gatehouse-identity-provider-tls", ["authentik.mesh.example.org"]],
      ["gatehouse-data/gatehouse-data-api", ["data.localhost"]],
      ["gatehouse-data/gatehouse-data-api-tls", ["data.mesh.example.org"]],
      ["default/gatehouse-test", ["whoami-public.localhost"]],
      ["default/wiki", ["wiki.localhost"]],
      ["default/gatehouse-tls-wiki", ["wiki.mesh.example.org"]],
      ["authentik/gatehouse-outpost-localhost", ["wiki.localhost"]],
      ["authentik/gatehouse-outpost-mesh", ["wiki.mesh.example.org"]],
    ]);
  });
});

test("groups are those that anything names", () => {
  const provider = { ...sections.identity_provider, groups: ["platform"] };
  const services = [proxy({ groups: ["staff", "admins"] }), oauth2({ groups: ["staff"] })];
  const settings = parseStack(stack({ identity_provider: provider, protected_services: services }), shell);
  expect(computePlan(settings).groups).toEqual(["admins", "platform", "staff"]);
});

test("names that are too long for a DNS label end in a hash of the whole", () => {
  expect(dnsLabel("a".repeat(63))).toBe("a".repeat(63));
  const [one, other] = [dnsLabel("gatehouse-tls", "a".repeat(63)), dnsLabel("gatehouse-tls", `${"a".repeat(62)}b`)];
  expect([one.length, other.length]).toEqual([63, 63]);
  expect(one).not.toBe(other);
  expect(dnsLabel(`${"a".repeat(53)}-${"b".repeat(20)}`)).toMatch(/^a{53}-[0-9a-f]{8}$/);
});

test("1,000 services on 3 domains plan in less than a second, checks included", () => {
  const services = Array.from({ length: 1000 }, (_, index) =>
    proxy({ name: `service-${index}`, application_slug: `service-${index}` }),
  );
  const started = performance.now();
  const plan = planOf({ localhost: true, mesh: true, external: true }, ...services);
  expect(performance.now() - started).toBeLessThan(1000);
  expect(plan.exposures).toHaveLength(3007);
});
