import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { readStackFile } from "../../config/load.ts";
import { IDENTITY_HEADERS } from "../../infra/identity/headers.ts";
import { deploy, PATIENCE } from "../helpers/program.ts";
import type { Recorder } from "../helpers/recorder.ts";

const TRAEFIK = "kubernetes:traefik.io/v1alpha1:";

/** Fields of a custom resource, as deep as the tests look. */
interface Manifest {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly routes?: readonly { readonly match: string; readonly middlewares: readonly { readonly name: string }[] }[];
    readonly forwardAuth?: Readonly<Record<string, unknown>>;
  };
}

describe("the local stack under mocks", () => {
  let recorder: Recorder;
  const manifests = (kind: string): Manifest[] =>
    recorder.of(`${TRAEFIK}${kind}`).map(({ inputs }) => inputs as unknown as Manifest);

  beforeAll(async () => {
    vi.stubEnv("KUBECONFIG", "/home/ada/one:/home/ada/two");
    recorder = await deploy(readStackFile(`${import.meta.dirname}/../../Pulumi.local.yaml`, "local"));
  }, PATIENCE);
  afterAll(() => void vi.unstubAllEnvs());

  test("uses no default provider, which would use the shell's current cluster", () => {
    const objects = recorder.resources.filter(({ type }) => /^(kubernetes|postgresql|authentik):/.test(type));
    expect(objects.filter(({ provider }) => provider === "").map(({ type, name }) => `${type} ${name}`)).toEqual([]);
  });

  test("configures the provider of the cluster without a path of this machine, which the state would contain", () => {
    const name = "gatehouse-local";
    expect(recorder.of("pulumi:providers:kubernetes").map(({ inputs }) => inputs)).toEqual([
      { context: name, clusterIdentifier: name, enableServerSideApply: "true", kubeconfig: "" },
    ]);
  });

  test("drops forged identity headers first in every rule of every IngressRoute", () => {
    const routes = manifests("IngressRoute").flatMap(({ spec }) => spec.routes ?? []);
    expect(routes.length).toBeGreaterThan(0);
    expect(routes.map(({ middlewares }) => middlewares.slice(0, 2).map(({ name }) => name))).toEqual(
      routes.map(() => ["gatehouse-strip", "gatehouse-target"]),
    );
  });

  test("has authentication next in protected routes, the error page in outposts' paths, and the middlewares of the data API in its open routes", () => {
    const all = manifests("IngressRoute").flatMap(({ spec }) =>
      (spec.routes ?? []).map(({ match, middlewares }): [string, string[]] => [
        match.replace(/^Host\(`([^`]*)`\).*/, "$1"),
        middlewares.map(({ name }) => name.replace(/-[0-9a-f]{8}(?=-forward-auth)/, "")).slice(2),
      ]),
    );
    const chains = all.filter(([host]) => host !== "data.localhost");
    const limits = ["refused-functions", "anonymous", "unavailable"].map((name) => `gatehouse-${name}`);
    const schemas = ["api-v1", "marts", "raw"].map((schema) => [`gatehouse-profile-${schema}`]);
    const counts = ["exact", "planned", "estimated"].flatMap((count) =>
      schemas.map((profile) => [...profile, `gatehouse-${count}-count`]),
    );
    const description = ["gatehouse-profile-gatehouse-openapi", "gatehouse-openapi"];
    expect(all.filter(([host]) => host === "data.localhost")).toEqual(
      [description, ...counts, ...schemas].map((end) => ["data.localhost", [...limits, ...end]]),
    );
    const login = (label: string) =>
      `gatehouse-outpost-${label.endsWith("admin") ? "admins" : "all-users"}-forward-auth`;
    const refuses = (label: string) => ["gatehouse-background", `${login(label)}-401`, "gatehouse-background-end"];
    const forwarded = ["whoami", "admin", "whoami-whoami", "whoami-admin", "whoami-notes"];
    const byPassword = ["legacy", "whoami-legacy"];
    expect(chains.filter(([, chain]) => chain.length > 0).sort()).toEqual(
      [
        ...forwarded.flatMap((label) => [
          [`${label}.localhost`, refuses(label)],
          [`${label}.localhost`, [login(label)]],
          [`${label}.localhost`, ["gatehouse-sign-in-error"]],
        ]),
        ...byPassword.map((label) => [`${label}.localhost`, ["legacy-basic-auth"]]),
        ["whoami-public.localhost", ["gatehouse-refused-echoes"]],
      ].sort(),
    );
    const open = ["authentik", "catalog", "notes", ...forwarded];
    expect(
      chains
        .filter(([, chain]) => chain.length === 0)
        .map(([host]) => host)
        .sort(),
    ).toEqual(open.map((label) => `${label}.localhost`).sort());
  });

  test("creates every middleware that a route names in the route's namespace", () => {
    const present = new Set(manifests("Middleware").map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
    for (const { metadata, spec } of manifests("IngressRoute")) {
      for (const { middlewares } of spec.routes ?? []) {
        expect(middlewares.filter(({ name }) => !present.has(`${metadata.namespace}/${name}`))).toEqual([]);
      }
    }
  });

  test("requests an outpost by its cluster IP in forward auth, and passes all six headers of its response", () => {
    const [first] = manifests("Middleware").filter(({ spec }) => spec.forwardAuth);
    expect(first?.spec.forwardAuth).toMatchObject({
      address: "http://127.96.0.9:9000/outpost.goauthentik.io/auth/traefik",
      trustForwardHeader: false,
      authResponseHeaders: [...IDENTITY_HEADERS],
    });
  });

  test("creates one provider for exactly the host of a proxied exposure, with the five default mappings and ours", () => {
    const mappings = recorder.of("authentik:index/propertyMappingProviderScope:PropertyMappingProviderScope");
    expect(
      recorder.one("authentik:index/providerProxy:ProviderProxy", "whoami-localhost-4d2727da-provider").inputs,
    ).toEqual({
      name: "whoami-localhost-4d2727da",
      mode: "forward_single",
      externalHost: "http://whoami.localhost",
      authorizationFlow: "flow-default-provider-authorization-implicit-consent",
      invalidationFlow: "flow-default-invalidation-flow",
      accessTokenValidity: "hours=12",
      skipPathRegex: String.raw`[^\s\S]`,
      propertyMappings: [
        "goauthentik.io/providers/oauth2/scope-openid",
        "goauthentik.io/providers/oauth2/scope-email",
        "goauthentik.io/providers/oauth2/scope-profile",
        "goauthentik.io/providers/oauth2/scope-entitlements",
        "goauthentik.io/providers/proxy/scope-proxy",
        String(mappings.findIndex(({ name }) => name === "identity-token-mapping") + 1),
      ],
    });
    expect(
      recorder.one("authentik:index/application:Application", "whoami-localhost-application").inputs,
    ).toMatchObject({
      name: "whoami",
      slug: "whoami-localhost",
      group: "whoami",
    });
  });

  test("creates policy bindings only for applications with allowed groups, and for the one that no user signs in to", () => {
    const bindings = recorder.of("authentik:index/policyBinding:PolicyBinding");
    const found = Object.fromEntries(bindings.map(({ name, inputs }) => [name, inputs]));
    const policies = recorder.of("authentik:index/policyExpression:PolicyExpression");
    const binding = (application: string, policy: string) => ({
      target: `uuid-${application}-application`,
      policy: String(policies.findIndex(({ name }) => name.startsWith(policy)) + 1),
      order: 0,
    });
    const admins = "gatehouse-groups-admins-";
    expect(found).toEqual({
      "admin-localhost-binding": binding("admin-localhost", admins),
      "whoami-admin-localhost-binding": binding("whoami-admin-localhost", admins),
      "identity-token-binding": binding("identity-token", "identity-token-"),
    });
  });

  test("grants nothing in a private schema, and no writing to the anonymous role", () => {
    const grants = recorder.of("postgresql:index/grant:Grant").map(({ inputs }) => inputs);
    const open = grants.filter(({ privileges }) => (privileges as string[]).length > 0);
    const anonymous = open.filter(({ role }) => role === "gatehouse_anonymous");
    expect([...new Set(anonymous.map(({ schema }) => schema))].sort()).toEqual([
      "api_v1",
      "gatehouse",
      "gatehouse_openapi",
      "marts",
      "raw",
    ]);
    expect([...new Set(anonymous.flatMap(({ privileges }) => privileges as string[]))].sort()).toEqual([
      "EXECUTE",
      "SELECT",
      "USAGE",
    ]);
    expect(open.filter(({ role }) => role === "public")).toEqual([]);
  });

  test("passes secrets to Secrets, passwords and provider settings only", () => {
    const places = recorder.resources
      .filter(({ inputs }) => JSON.stringify(inputs).includes("canary-"))
      .map(({ type }) => type);
    expect([...new Set(places)].sort()).toEqual([
      "authentik:index/providerOauth2:ProviderOauth2",
      "authentik:index/user:User",
      "kubernetes:core/v1:Secret",
      "postgresql:index/role:Role",
      "pulumi:providers:authentik",
      "pulumi:providers:postgresql",
    ]);
    expect(recorder.resources.filter(({ visible }) => visible.includes("canary-"))).toEqual([]);
  });

  test("runs pods restricted, with probes, requests and limits, which serve for 5 s after their deletion", () => {
    const pods = recorder.of("kubernetes:apps/v1:Deployment").map(({ name, inputs }) => [name, podOf(inputs)] as const);
    expect(pods.map(([name]) => name.replace(/-[0-9a-f]{8}(?=-deployment)/, "")).sort()).toEqual([
      "authentik-server",
      "authentik-worker",
      "data-catalog-deployment",
      "data-postgrest-deployment",
      "gatehouse-outpost-admins-deployment",
      "gatehouse-outpost-all-users-deployment",
      "gateway-echo-deployment",
      "outposts-pages-deployment",
    ]);
    for (const [name, { automountServiceAccountToken, securityContext, containers }] of pods) {
      expect([name, automountServiceAccountToken, securityContext.runAsNonRoot]).toEqual([name, false, true]);
      for (const container of containers) {
        expect([name, container.securityContext]).toEqual([
          name,
          { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] }, readOnlyRootFilesystem: true },
        ]);
        expect([name, Object.keys(container.resources).sort()]).toEqual([name, ["limits", "requests"]]);
        expect([name, container.readinessProbe === undefined]).toEqual([name, false]);
        // Liveness alone ends a container that takes longer to start.
        const [starts, lives] = [container.startupProbe, container.livenessProbe].map((probe) => probe !== undefined);
        expect([name, starts]).toEqual([name, lives]);
        expect([name, container.lifecycle]).toEqual([name, { preStop: { sleep: { seconds: 5 } } }]);
      }
    }
  });
});

interface Pod {
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: { readonly runAsNonRoot: boolean };
  readonly containers: readonly {
    readonly securityContext: unknown;
    readonly resources: object;
    readonly readinessProbe?: unknown;
    readonly startupProbe?: unknown;
    readonly livenessProbe?: unknown;
    readonly lifecycle?: unknown;
  }[];
}

function podOf(inputs: Record<string, unknown>): Pod {
  return (inputs as { spec: { template: { spec: Pod } } }).spec.template.spec;
}
