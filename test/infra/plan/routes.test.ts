import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { background, COUNTS } from "../../../infra/plan/matchers.ts";
import { schemaName } from "../../../config/schema/fields.ts";
import { traefikName } from "../../../infra/plan/traefikName.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import { basic, oauth2, proxy, sections, shell, stack } from "../../config/stacks.ts";
import { NO_TUNNEL, OUTPOST_PREFIX, SIGNED_OUT } from "./matches.ts";
import { chainsOf, onMesh, rules, rulesOf } from "./rules.ts";
import { BOTH, EXISTING, planOf } from "./stacks.ts";

const LOCAL = { localhost: true };
const READS = "(Method(`GET`) || Method(`HEAD`) || Method(`OPTIONS`))";
const ITEMS = String.raw`^(("[^"\\]*")?[^",(]*,)*`;
const TO_BRACKET = `${ITEMS}("[^"\\\\]*")?[^",(]*`;
const TO_OTHER_QUOTE = String.raw`${ITEMS}(("[^"\\]*"[^",(]*|[^",(]+)"|"[^"\\]*\\)`;
const SELECTED = [
  `(?s)${TO_BRACKET}([(][^)]*[(]|[(].*[(][^)]*[(]|[(].*".*[(]|([(].*){4})|${TO_OTHER_QUOTE}.*([(][^)]*[(]|[(].*".*[(]|([(].*){4})`,
  "(^|[^A-Za-z0-9_$])(array|jsonb?)_agg(_strict)?($|[^A-Za-z0-9_$])",
  String.raw`^([^\\]|\\[\\"])*\\[^\\"]`,
  "::[\\w$\\s]*(?i:reg)",
].join("|");
const TOO_MUCH = `(QueryRegexp(\`select\`, \`^([^,]*,){100}\`) || QueryRegexp(\`select\`, \`${SELECTED}\`))`;
const ESTIMATED =
  "(HeaderRegexp(`Prefer`, `(?i)count=(planned|estimated)`) && QueryRegexp(`select`, `(?s)" +
  `${TO_BRACKET}[(]|${TO_OTHER_QUOTE}.*[(]` +
  "`))";
const SCHEMAS = [
  "(!HeaderRegexp(`Accept-Profile`, `.*`) || HeaderRegexp(`Accept-Profile`, `^api_v1$`))",
  "HeaderRegexp(`Accept-Profile`, `^marts$`)",
  "HeaderRegexp(`Accept-Profile`, `^raw$`)",
].map((selects) => `${selects} && !PathPrefix(\`/rpc/\`) && !${TOO_MUCH} && !${ESTIMATED}`);
/** What is asked, and the rank of its rule. */
const DATA: [string, number][] = [
  [`Path(\`/openapi.json\`) && !${TOO_MUCH}`, 200],
  ...Object.entries({ exact: 150, planned: 140, estimated: 130 }).flatMap(([count, rank]) =>
    SCHEMAS.map((schema): [string, number] => [`HeaderRegexp(\`Prefer\`, \`(?i)count=${count}\`) && ${schema}`, rank]),
  ),
  ...SCHEMAS.map((schema): [string, number] => [schema, 100]),
];

const SECRET = { termination: "secret", name: "wildcard" };
const RESOLVER = { termination: "resolver", name: "letsencrypt" };

/** No path that servers read in different ways. */
const UNAMBIGUOUS = "!PathRegexp(`/[.][.]|[\\x00-\\x1F\\x7F\\\\\\x{FFFD}]|(?i:%(2[35F]|3[BF]|5C))`)";

describe("a route", () => {
  test("has the public paths of a proxy service before forward auth", () => {
    const plan = planOf(LOCAL, proxy({ public_paths: ["/health", "/assets/"] }));
    expect(rulesOf(plan, "wiki")).toEqual([
      [
        `Host(\`wiki.localhost\`) && ${NO_TUNNEL} && (Path(\`/health\`) || PathPrefix(\`/health/\`)) && ${UNAMBIGUOUS}`,
        200,
        "none",
        "public-path",
      ],
      [
        `Host(\`wiki.localhost\`) && ${NO_TUNNEL} && PathPrefix(\`/assets/\`) && ${UNAMBIGUOUS}`,
        200,
        "none",
        "public-path",
      ],
      [`Host(\`wiki.localhost\`) && ${NO_TUNNEL} && ${background()}`, 150, "forward-auth", undefined],
      [`Host(\`wiki.localhost\`) && ${NO_TUNNEL}`, 100, "forward-auth", undefined],
    ]);
  });

  test("has the page for a sign-out without a session before everything below the outposts' path", () => {
    const plan = planOf(LOCAL, proxy({}));
    expect(rulesOf(plan, "gatehouse-outpost-localhost")).toEqual(
      ["wiki.localhost", "whoami-wiki.localhost"].flatMap((host) => [
        [`Host(\`${host}\`) && ${NO_TUNNEL} && ${SIGNED_OUT}`, 310, "none", "identity-provider"],
        [`Host(\`${host}\`) && ${NO_TUNNEL} && ${OUTPOST_PREFIX}`, 300, "none", "identity-provider"],
      ]),
    );
    expect(
      rules(plan, "gatehouse-outpost-localhost").map(({ backend, middlewares }) => [backend.name, middlewares]),
    ).toEqual(
      plan.outposts.flatMap(({ name }) => [
        ["gatehouse-sign-in-pages", ["gatehouse-strip", "gatehouse-target"]],
        [name, ["gatehouse-strip", "gatehouse-target", "gatehouse-sign-in-error"]],
        ["gatehouse-sign-in-pages", ["gatehouse-strip", "gatehouse-target"]],
        [name, ["gatehouse-strip", "gatehouse-target", "gatehouse-sign-in-error"]],
      ]),
    );
  });

  test("has forward auth for an oauth2 service only with enforce: gateway", () => {
    const mail = oauth2({ name: "mail", application_slug: "mail", enforce: "gateway" });
    const plan = planOf(LOCAL, oauth2({}), mail);
    expect(rulesOf(plan, "grafana")).toEqual([
      [`Host(\`grafana.localhost\`) && ${NO_TUNNEL}`, 100, "none", "application-login"],
    ]);
    expect(rulesOf(plan, "mail")).toEqual([
      [`Host(\`mail.localhost\`) && ${NO_TUNNEL} && ${background()}`, 150, "forward-auth", undefined],
      [`Host(\`mail.localhost\`) && ${NO_TUNNEL}`, 100, "forward-auth", undefined],
    ]);
    expect(new Set(rules(plan, "gatehouse-outpost-localhost").map(({ host }) => host))).toEqual(
      new Set(["mail.localhost", "whoami-grafana.localhost", "whoami-mail.localhost"]),
    );
  });

  test("requires the password of a basic service, of background requests as well", () => {
    expect(rulesOf(planOf(LOCAL, basic({})), "legacy")).toEqual([
      [`Host(\`legacy.localhost\`) && ${NO_TUNNEL}`, 100, "basic-auth", undefined],
    ]);
  });

  test("matches only reads of exposed schemas for the data API", () => {
    expect(rulesOf(planOf(LOCAL), "gatehouse-data-api")).toEqual(
      DATA.map(([what, rank]) => [`Host(\`data.localhost\`) && ${READS} && ${what}`, rank, "none", "data-api"]),
    );
  });

  test("matches nothing more for the data API after a redirect that a trusted proxy can pass", () => {
    const plan = onMesh({});
    const front = ["strip", "target", "refused-functions", "anonymous", "unavailable"].map(
      (name) => `gatehouse-${name}`,
    );
    const profiles = ["api-v1", "marts", "raw"].map((schema) => [`gatehouse-profile-${schema}`]);
    const last = [
      ["gatehouse-profile-gatehouse-openapi", "gatehouse-openapi"],
      ...COUNTS.flatMap((count) => profiles.map((profile) => [...profile, `gatehouse-${count}-count`])),
      ...profiles,
    ];
    const rules = DATA.map(([what], index): [string, string[]] => [
      `Host(\`data.mesh.example.org\`) && ${READS} && ${what}`,
      [...front, ...(last[index] ?? [])],
    ]);
    expect(chainsOf(plan, "gatehouse-data-api-tls")).toEqual(rules);
    const redirected = rules.map(([match, chain]) => [match, ["gatehouse-https", ...chain]]);
    expect(chainsOf(plan, "gatehouse-data-api")).toEqual(redirected);
  });

  test("limits the client in the proxy's header for the data API, and sends the sunset of a schema", () => {
    const data_api = {
      ...sections.data_api,
      limits: { requests_per_second: 5, burst: 7, in_flight: 3 },
      schemas: { deprecated: { raw: { since: "2026-01-01", sunset: "2027-01-01" } } },
    };
    const mesh = { enabled: true, base_domain: "mesh.example.org", tls: "upstream" };
    const plan = computePlan(parseStack(stack({ domains: { mesh }, protected_services: [], data_api }), shell));
    const namespace = "gatehouse-data";
    const raw = { schema: "raw", since: "2026-01-01", sunset: "2027-01-01", link: undefined };
    expect(plan.middlewares.filter((middleware) => middleware.namespace === namespace).slice(3)).toEqual([
      { name: "gatehouse-refused-functions", namespace, kind: "refused-paths", names: ["rpc"] },
      { name: "gatehouse-anonymous-upstream", namespace, kind: "anonymous", upstream: true },
      { name: "gatehouse-unavailable", namespace, kind: "unavailable" },
      {
        name: "gatehouse-profile-gatehouse-openapi",
        namespace,
        kind: "profile",
        schema: "gatehouse_openapi",
        deprecation: undefined,
      },
      { name: "gatehouse-openapi", namespace, kind: "replace-path", path: "/rpc/document" },
      { name: "gatehouse-unrouted-query", namespace, kind: "unrouted-query" },
      { name: "gatehouse-rate-limit-upstream", namespace, kind: "rate-limit", average: 5, burst: 7, upstream: true },
      { name: "gatehouse-in-flight-upstream", namespace, kind: "in-flight", amount: 3, upstream: true },
      { name: "gatehouse-profile-api-v1", namespace, kind: "profile", schema: "api_v1", deprecation: undefined },
      { name: "gatehouse-exact-count", namespace, kind: "count", count: "exact" },
      { name: "gatehouse-profile-marts", namespace, kind: "profile", schema: "marts", deprecation: undefined },
      { name: "gatehouse-profile-raw", namespace, kind: "profile", schema: "raw", deprecation: raw },
      { name: "gatehouse-planned-count", namespace, kind: "count", count: "planned" },
      { name: "gatehouse-estimated-count", namespace, kind: "count", count: "estimated" },
    ]);
  });

  test("matches only reads for the catalog, and removes forged headers", () => {
    const reads = "(Method(`GET`) || Method(`HEAD`))";
    expect(rulesOf(planOf(LOCAL), "gatehouse-catalog")).toEqual([
      [`Host(\`catalog.localhost\`) && ${reads}`, 100, "none", "catalog"],
    ]);
    const match = `Host(\`catalog.mesh.example.org\`) && ${reads}`;
    expect(chainsOf(onMesh({}), "gatehouse-catalog-tls")).toEqual([[match, ["gatehouse-strip", "gatehouse-target"]]]);
    expect(chainsOf(onMesh({}), "gatehouse-catalog")).toEqual([
      [match, ["gatehouse-https", "gatehouse-strip", "gatehouse-target"]],
    ]);
  });

  test("matches only reads of a bounded size for the open test host", () => {
    const unbounded = "Path(`/data`) || Path(`/echo`) || QueryRegexp(`wait`, `.`)";
    expect(rulesOf(planOf(LOCAL), "gatehouse-test")).toEqual([
      [
        `Host(\`whoami-public.localhost\`) && (Method(\`GET\`) || Method(\`HEAD\`)) && !(${unbounded})`,
        100,
        "none",
        "open",
      ],
    ]);
  });

  test("is split if a service has domains with and without TLS", () => {
    const plan = planOf(BOTH, proxy({}));
    const seen = plan.routes.map(({ namespace, name, entryPoint, tls, rules }) => [
      `${namespace}/${name}`,
      `${entryPoint} ${tls?.termination ?? "-"}`,
      [...new Set(rules.map(({ host }) => host))],
    ]);
    const both = (label: string) => [`${label}.localhost`, `${label}.mesh.example.org`];
    const mesh = (label: string) => [`${label}.mesh.example.org`];
    expect(seen).toEqual([
      ["authentik/gatehouse-identity-provider", "web -", both("authentik")],
      ["authentik/gatehouse-identity-provider-tls", "websecure default", mesh("authentik")],
      ["gatehouse-data/gatehouse-data-api", "web -", both("data")],
      ["gatehouse-data/gatehouse-data-api-tls", "websecure default", mesh("data")],
      ["gatehouse-data/gatehouse-catalog", "web -", both("catalog")],
      ["gatehouse-data/gatehouse-catalog-tls", "websecure default", mesh("catalog")],
      ["default/gatehouse-test", "web -", ["whoami-public.localhost"]],
      ["default/wiki", "web -", both("wiki")],
      ["default/gatehouse-tls-wiki", "websecure default", mesh("wiki")],
      ["default/whoami-wiki", "web -", ["whoami-wiki.localhost"]],
      ["authentik/gatehouse-outpost-localhost", "web -", ["wiki.localhost", "whoami-wiki.localhost"]],
      ["authentik/gatehouse-outpost-mesh", "websecure default", mesh("wiki")],
    ]);
  });

  test("is split by certificate, and uses the entry points of the stack", () => {
    const domain = (base_domain: string, tls: unknown) => ({ enabled: true, base_domain, tls });
    const domains = {
      mesh: domain("mesh.example.org", { secret: "wildcard" }),
      external: domain("example.org", { resolver: "letsencrypt" }),
    };
    const gateway = { version: "3.7.13", http_entry_point: "http", https_entry_point: "https" };
    const raw = stack({ domains, gateway, protected_services: [proxy({})], data_api: undefined });
    const { routes } = computePlan(parseStack(raw, shell));
    expect(routes.map(({ name, entryPoint, tls }) => [name, entryPoint, tls])).toEqual([
      ["gatehouse-identity-provider-tls.secret-wildcard", "https", SECRET],
      ["gatehouse-identity-provider", "http", undefined],
      ["gatehouse-identity-provider-tls.resolver-letsencrypt", "https", RESOLVER],
      ["gatehouse-tls-wiki.secret-wildcard", "https", SECRET],
      ["wiki", "http", undefined],
      ["gatehouse-tls-wiki.resolver-letsencrypt", "https", RESOLVER],
      ["gatehouse-outpost-mesh", "https", SECRET],
      ["gatehouse-outpost-external", "https", RESOLVER],
    ]);
  });
});

test("gives the middlewares of different schemas different names in Traefik and valid ones in Kubernetes", () => {
  const schema = fc.stringMatching(/^[a-z_][a-z0-9_]{0,12}$/).filter((name) => schemaName().safeParse(name).success);
  fc.assert(
    fc.property(fc.uniqueArray(schema, { minLength: 2, maxLength: 6 }), (exposed) => {
      const data_api = { ...sections.data_api, schemas: { exposed, private: [] } };
      const { middlewares } = computePlan(parseStack(stack({ data_api, protected_services: [] }), shell));
      const profiles = middlewares.filter(({ kind }) => kind === "profile").map(({ name }) => name);
      // One is that of the description.
      expect(new Set(profiles.map((name) => traefikName(name)))).toHaveProperty("size", exposed.length + 1);
      expect(profiles.filter((name) => !/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name))).toEqual([]);
    }),
  );
  const named = (exposed: readonly string[]) =>
    computePlan(parseStack(stack({ data_api: { ...sections.data_api, schemas: { exposed } } }), shell)).middlewares;
  // Attack: without the hash, the two have one name in Traefik, which keeps one of them.
  expect(named(["raw", "_raw"]).flatMap(({ kind, name }) => (kind === "profile" ? [name] : []))).toEqual([
    expect.stringMatching(/^gatehouse-profile-gatehouse-openapi$/),
    expect.stringMatching(/^gatehouse-profile-raw$/),
    expect.stringMatching(/^gatehouse-profile-raw-[0-9a-f]{8}$/),
  ]);
});

test.each([
  [
    "x_legacy_basic_auth",
    "gatehouse-data-gatehouse-profile-x",
    '"gatehouse-profile-x-legacy-basic-auth" in namespace "gatehouse-data" and "legacy-basic-auth" in namespace "gatehouse-data-gatehouse-profile-x" are both "gatehouse-data-gatehouse-profile-x-legacy-basic-auth"',
  ],
  [
    "x_gatehouse_strip",
    "gatehouse-data-gatehouse-profile-x",
    '"gatehouse-profile-x-gatehouse-strip" in namespace "gatehouse-data" and "gatehouse-strip" in namespace "gatehouse-data-gatehouse-profile-x" are both "gatehouse-data-gatehouse-profile-x-gatehouse-strip"',
  ],
])("a plan in which Traefik would use one middleware for two is refused: schema %s", (schema, namespace, both) => {
  const data_api = { ...sections.data_api, schemas: { exposed: ["api_v1", schema] } };
  const protected_services = [basic({ service: { namespace } })];
  expect(() => computePlan(parseStack(stack({ protected_services, data_api }), shell))).toThrow(
    `protected_services: the middlewares ${both} in Traefik. Move one of the services to another namespace.`,
  );
});

test("a plan with two routes of one name is refused, of which one has it by the suffix of the stack", () => {
  const identity_provider = { ...EXISTING, namespace: "authentik" };
  const plan = (name: string) => () => {
    const protected_services = [basic({ name: "a", service: { namespace: "authentik" } }), basic({ name })];
    return computePlan(parseStack(stack({ protected_services, identity_provider }), shell));
  };
  expect(plan("a-dev")).toThrow(
    'protected_services: the routes "a-dev" in namespace "authentik" and "a-dev" in namespace "default" have one name. Rename one of the services.',
  );
  expect(plan("b-dev")().routes.map(({ name }) => name)).toEqual(expect.arrayContaining(["a-dev", "b-dev"]));
});
