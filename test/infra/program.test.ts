import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { readStackFile } from "../../config/load.ts";
import program from "../../infra/index.ts";
import { IDENTITY_HEADERS, identityHeaderSpellings } from "../../infra/identity/headers.ts";
import { record, type Recorder } from "../helpers/recorder.ts";

// Nothing answers here; test/e2e waits for the real one.
vi.mock("../../infra/identity/readiness.ts", () => ({ waitUntilReady: () => Promise.resolve() }));

const TRAEFIK = "kubernetes:traefik.io/v1alpha1:";
/** Every secret variable of the local stack, with a value that can be looked for. */
const SECRETS = [
  "AUTHENTIK_TOKEN",
  "AUTHENTIK_ADMIN_PASSWORD",
  "AUTHENTIK_SECRET_KEY",
  "AUTHENTIK_DATABASE_PASSWORD",
  "ALICE_PASSWORD",
  "BOB_PASSWORD",
  "POSTGRES_PASSWORD",
  "DATA_AUTHENTICATOR_PASSWORD",
  "DATA_OWNER_PASSWORD",
];
const canary = (name: string): string => `canary-${name.toLowerCase()}`;

/** The local stack's file as the engine hands it to a program. */
function configureLocalStack(): void {
  const { config } = readStackFile(`${import.meta.dirname}/../../Pulumi.local.yaml`, "local");
  const plain = Object.entries(config).map(([key, entry]): [string, string] => {
    const value = "value" in entry ? entry.value : undefined;
    return [key, typeof value === "string" ? value : JSON.stringify(value)];
  });
  const secret = SECRETS.map((name): [string, string] => [`variables:${name}`, canary(name)]);
  pulumi.runtime.setAllConfig(
    Object.fromEntries([...plain, ...secret]),
    secret.map(([key]) => key),
  );
}

/** Fields of a custom resource, as deep as the tests look. */
interface Manifest {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly routes?: readonly { readonly match: string; readonly middlewares: readonly { readonly name: string }[] }[];
    readonly headers?: { readonly customRequestHeaders: Readonly<Record<string, string>> };
    readonly forwardAuth?: Readonly<Record<string, unknown>>;
  };
}

describe("the local stack under mocks", () => {
  let recorder: Recorder;
  const manifests = (kind: string): Manifest[] =>
    recorder.of(`${TRAEFIK}${kind}`).map(({ inputs }) => inputs as unknown as Manifest);

  beforeAll(async () => {
    configureLocalStack();
    ({ recorder } = await record(program));
  });

  test("every route of every IngressRoute drops forged identity headers first", () => {
    const routes = manifests("IngressRoute").flatMap(({ spec }) => spec.routes ?? []);
    expect(routes.length).toBe(7);
    expect(routes.map(({ middlewares }) => middlewares[0]?.name)).toEqual(routes.map(() => "gatehouse-strip"));
    for (const { spec } of manifests("Middleware").filter(({ metadata }) => metadata.name === "gatehouse-strip")) {
      expect(spec.headers?.customRequestHeaders).toEqual(
        Object.fromEntries(identityHeaderSpellings().map((name) => [name, ""])),
      );
    }
  });

  test("protected services have forward auth right behind it, and open ones have nothing", () => {
    const chains = manifests("IngressRoute").flatMap(({ spec }) =>
      (spec.routes ?? []).map(({ match, middlewares }) => [
        match.split(" ")[0],
        middlewares.map(({ name }) => name).slice(1),
      ]),
    );
    expect(chains.filter(([, chain]) => chain?.length !== 0)).toEqual([
      ["Host(`whoami.localhost`)", ["gatehouse-forward-auth"]],
      ["Host(`admin.localhost`)", ["gatehouse-forward-auth"]],
    ]);
  });

  test("every middleware that a route names stands in the route's namespace", () => {
    const present = new Set(manifests("Middleware").map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
    for (const { metadata, spec } of manifests("IngressRoute")) {
      for (const { middlewares } of spec.routes ?? []) {
        expect(middlewares.filter(({ name }) => !present.has(`${metadata.namespace}/${name}`))).toEqual([]);
      }
    }
  });

  test("forward auth asks the identity provider by its cluster IP and takes all six headers from its answer", () => {
    const [first] = manifests("Middleware").filter(({ spec }) => spec.forwardAuth);
    expect(first?.spec.forwardAuth).toMatchObject({
      address: "http://127.96.0.9:9000/outpost.goauthentik.io/auth/traefik",
      trustForwardHeader: false,
      authResponseHeaders: [...IDENTITY_HEADERS],
    });
  });

  test("a proxied exposure is one provider for exactly its host, with the five default mappings and ours", () => {
    expect(recorder.one("authentik:index/providerProxy:ProviderProxy", "whoami@localhost-provider").inputs).toEqual({
      name: "whoami@localhost",
      mode: "forward_single",
      externalHost: "http://whoami.localhost",
      authorizationFlow: "flow-default-provider-authorization-implicit-consent",
      invalidationFlow: "flow-default-provider-invalidation-flow",
      accessTokenValidity: "hours=12",
      propertyMappings: [
        "goauthentik.io/providers/oauth2/scope-openid",
        "goauthentik.io/providers/oauth2/scope-email",
        "goauthentik.io/providers/oauth2/scope-profile",
        "goauthentik.io/providers/oauth2/scope-entitlements",
        "goauthentik.io/providers/proxy/scope-proxy",
        "1",
      ],
    });
    expect(
      recorder.one("authentik:index/application:Application", "whoami@localhost-application").inputs,
    ).toMatchObject({
      name: "whoami",
      slug: "whoami-localhost",
      group: "whoami",
    });
  });

  test("only the service with groups has policy bindings", () => {
    expect(
      recorder.of("authentik:index/policyBinding:PolicyBinding").map(({ name, inputs }) => [name, inputs]),
    ).toEqual([["admin@localhost-admins", { target: "uuid-admin@localhost-application", group: "1", order: 0 }]]);
  });

  test("no grant reaches a private schema, and none lets the anonymous role write", () => {
    const grants = recorder.of("postgresql:index/grant:Grant").map(({ inputs }) => inputs);
    const open = grants.filter(({ privileges }) => (privileges as string[]).length > 0);
    const anonymous = open.filter(({ role }) => role === "gatehouse_anonymous");
    expect([...new Set(anonymous.map(({ schema }) => schema))].sort()).toEqual(["api_v1", "gatehouse", "marts", "raw"]);
    expect([...new Set(anonymous.flatMap(({ privileges }) => privileges as string[]))].sort()).toEqual([
      "EXECUTE",
      "SELECT",
      "USAGE",
    ]);
    expect(open.filter(({ role }) => role === "public")).toEqual([]);
  });

  test("secrets reach Secrets, passwords and provider settings, and nothing else", () => {
    const places = recorder.resources
      .filter(({ inputs }) => JSON.stringify(inputs).includes("canary-"))
      .map(({ type }) => type);
    expect([...new Set(places)].sort()).toEqual([
      "authentik:index/user:User",
      "kubernetes:core/v1:Secret",
      "postgresql:index/role:Role",
      "pulumi:providers:authentik",
      "pulumi:providers:postgresql",
    ]);
  });

  test("pods run restricted, with probes, requests and limits", () => {
    const pods = recorder.of("kubernetes:apps/v1:Deployment").map(({ name, inputs }) => [name, podOf(inputs)] as const);
    expect(pods.map(([name]) => name).sort()).toEqual([
      "authentik-server",
      "authentik-worker",
      "data-postgrest-deployment",
      "gateway-echo-deployment",
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
  }[];
}

function podOf(inputs: Record<string, unknown>): Pod {
  return (inputs as { spec: { template: { spec: Pod } } }).spec.template.spec;
}
