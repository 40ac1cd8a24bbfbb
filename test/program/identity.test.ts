import { beforeAll, describe, expect, test } from "vitest";
import { oauth2, proxy, sections, stack } from "../config/stacks.ts";
import type { Recorder } from "../helpers/recorder.ts";
import { deploy, NO_SERVERS, PATIENCE } from "../helpers/program.ts";

const DENY_ALL = "gatehouse-identity-deny-all";
const ISSUER = "http://authentik.localhost";
const accounts = [{ name: "reporter", namespace: "reporting", groups: ["staff"] }, { name: "guest" }];

interface Secret {
  readonly stringData: Readonly<Record<string, string>>;
}

describe("an installed identity provider under mocks", () => {
  let recorder: Recorder;
  const secret = (place: string) => recorder.objects<Secret>("core/v1:Secret").get(place)?.stringData;
  const provider = (name: string) => recorder.one("authentik:index/providerOauth2:ProviderOauth2", name).inputs;
  const policies = () => recorder.of("authentik:index/policyExpression:PolicyExpression");
  const binding = (application: string, policy: string) => ({
    target: `uuid-${application}-application`,
    policy: String(policies().findIndex(({ inputs }) => inputs["name"] === policy) + 1),
    order: 0,
  });

  beforeAll(async () => {
    recorder = await deploy(
      stack({
        protected_services: [
          proxy({ groups: ["staff", "admins"] }),
          proxy({ name: "open", application_slug: "open", domains: ["mesh"] }),
          oauth2(
            { groups: ["staff"], service: { namespace: "monitoring" } },
            { scopes: ["entitlements", "offline_access"] },
          ),
          oauth2(
            { name: "spa", application_slug: "spa", domains: ["mesh"], session: "hours=2" },
            {
              client_type: "public",
              client_secret: undefined,
              subject_mode: "user_uuid",
              access_token_validity: "minutes=30",
            },
          ),
        ],
        identity_provider: { ...sections.identity_provider, session: "hours=8", service_accounts: accounts },
        data_api: undefined,
      }),
    );
  }, PATIENCE);

  test("creates a provider for an oauth2 service, with a strict redirect URI per exposure and the mappings of its scopes", () => {
    expect(provider("grafana-provider")).toEqual({
      name: "grafana",
      clientId: "grafana",
      clientSecret: "canary-secret",
      clientType: "confidential",
      authorizationFlow: "flow-default-provider-authorization-implicit-consent",
      invalidationFlow: "flow-default-invalidation-flow",
      signingKey: "key-authentik Self-signed Certificate",
      propertyMappings: [
        ...["openid", "email", "profile"].map((scope) => `goauthentik.io/providers/oauth2/scope-${scope}`),
        "mapping-entitlements",
        "mapping-offline_access",
      ],
      allowedRedirectUris: [
        {
          matching_mode: "strict",
          url: "http://grafana.localhost/login",
          redirect_uri_type: "authorization",
        },
        {
          matching_mode: "strict",
          url: "https://grafana.mesh.example.org/login",
          redirect_uri_type: "authorization",
        },
      ],
      grantTypes: ["authorization_code", "refresh_token"],
      accessTokenValidity: "minutes=10",
      refreshTokenValidity: "hours=8",
      subMode: "hashed_user_id",
      refreshTokenThreshold: "hours=-1",
    });
  });

  test("creates one application with exactly the slug of an oauth2 service", () => {
    const application = recorder.one("authentik:index/application:Application", "grafana-application");
    expect(application.inputs).toMatchObject({
      name: "grafana",
      slug: "grafana",
      group: "grafana",
      metaLaunchUrl: "http://grafana.localhost",
    });
  });

  test("creates one policy for each combination of allowed groups, and one binding of each application to its policy", () => {
    const expression = (...names: string[]) => {
      const ids = names.map((name) => `"group-${name}"`).join(",");
      return `return ak_is_group_member(request.user, pk__in=[${ids}])`;
    };
    const [both, staff] = ["gatehouse-groups-admins-staff-49c4cf71", "gatehouse-groups-staff-1ecb9f08"] as const;
    const found = policies().map(({ inputs }) => inputs);
    expect(found.filter(({ name }) => name !== DENY_ALL)).toEqual([
      { name: both, expression: expression("admins", "staff") },
      { name: staff, expression: expression("staff") },
    ]);
    const bindings = recorder.of("authentik:index/policyBinding:PolicyBinding").map(({ inputs }) => inputs);
    const wikis = ["wiki-localhost", "wiki-mesh", "whoami-wiki-localhost"];
    expect(bindings).toEqual(
      expect.arrayContaining([binding("grafana", staff), ...wikis.map((id) => binding(id, both))]),
    );
    // The other two: whoami-grafana-localhost, and the provider that signs identity headers.
    expect(bindings.length).toBe(wikis.length + 3);
  });

  test.each([
    ["the route", "kubernetes:traefik.io/v1alpha1:IngressRoute", "grafana-route"],
    ["the Secret with the credentials", "kubernetes:core/v1:Secret", "grafana-credentials"],
  ])("creates %s of an oauth2 service only after the binding of its application", (_, type, name) => {
    const own = recorder.dependencies.get(`${type} ${name}`)?.filter((other) => other.startsWith("grafana-"));
    expect(own?.sort()).toEqual(["grafana-application", "grafana-binding"]);
  });

  test("stores its credentials in the namespace of the application, in keys for envFrom", () => {
    expect(secret("monitoring/grafana-oauth2")).toEqual({
      OIDC_ISSUER: `${ISSUER}/application/o/grafana/`,
      OIDC_CLIENT_ID: "grafana",
      OIDC_CLIENT_SECRET: "canary-secret",
      OIDC_REDIRECT_URIS: "http://grafana.localhost/login https://grafana.mesh.example.org/login",
      OIDC_SCOPES: "openid email profile entitlements offline_access",
    });
  });

  test("creates no secret for a public client", () => {
    const { clientSecret, ...inputs } = provider("spa-provider");
    expect(clientSecret).toBe(undefined);
    expect(inputs).toMatchObject({
      clientType: "public",
      // Without the scope offline_access there is no refresh token.
      grantTypes: ["authorization_code"],
      accessTokenValidity: "minutes=30",
      refreshTokenValidity: "hours=2",
      subMode: "user_uuid",
    });
    expect(Object.keys(secret("default/spa-oauth2") ?? {})).toEqual([
      "OIDC_CLIENT_ID",
      "OIDC_ISSUER",
      "OIDC_REDIRECT_URIS",
      "OIDC_SCOPES",
    ]);
  });

  test("creates a service account for a machine, with an app password that does not expire", () => {
    expect(recorder.one("authentik:index/user:User", "machine-reporter-user").inputs).toMatchObject({
      username: "reporter",
      name: "reporter",
      type: "service_account",
    });
    expect(recorder.one("authentik:index/token:Token", "machine-reporter-password").inputs).toMatchObject({
      identifier: "gatehouse-reporter",
      intent: "app_password",
      expiring: false,
      retrieveKey: true,
    });
  });

  test("stores the password of a machine in its namespace, with a client id for the services of its groups", () => {
    const clients = (ids: readonly [string, string][]) =>
      JSON.stringify(Object.fromEntries(ids.map(([url, id]) => [url, `client-of-${id}-provider`])));
    const open: [string, string][] = [["https://open.mesh.example.org", "open-mesh"]];
    const common = (name: string) => ({
      USERNAME: name,
      PASSWORD: `key-of-machine-${name}-password`,
      TOKEN_URL: `${ISSUER}/application/o/token/`,
      SCOPE: "openid email profile ak_proxy gatehouse_identity",
    });
    const account = (place: string) =>
      Object.entries(secret(place) ?? {}).map(([key, value]) => [
        key,
        value.replaceAll(/-[0-9a-f]{8}(?=-provider)/g, ""),
      ]);
    expect(Object.fromEntries(account("default/guest-account"))).toEqual({
      ...common("guest"),
      CLIENT_IDS: clients(open),
    });
    expect(Object.fromEntries(account("reporting/reporter-account"))).toEqual({
      ...common("reporter"),
      CLIENT_IDS: clients([
        ["http://wiki.localhost", "wiki-localhost"],
        ["https://wiki.mesh.example.org", "wiki-mesh"],
        ...open,
        ["http://whoami-wiki.localhost", "whoami-wiki-localhost"],
        ["http://whoami-grafana.localhost", "whoami-grafana-localhost"],
      ]),
    });
  });

  test("creates the provider that signs identity headers with a redirect URI without an owner, and admits no user to it", () => {
    expect(provider("identity-token-signer")["allowedRedirectUris"]).toEqual([
      {
        matching_mode: "strict",
        url: "https://gatehouse-identity.invalid/",
        redirect_uri_type: "authorization",
      },
    ]);
    expect(policies().map(({ inputs }) => inputs)).toContainEqual({ name: DENY_ALL, expression: "return False" });
    expect(recorder.one("authentik:index/policyBinding:PolicyBinding", "identity-token-binding").inputs).toEqual(
      binding("identity-token", DENY_ALL),
    );
  });

  test("writes the expressions of the identity headers without trailing white space, which the API removes", () => {
    const mappings = recorder.of("authentik:index/propertyMappingProviderScope:PropertyMappingProviderScope");
    expect(mappings.map(({ inputs }) => String(inputs["expression"]).match(/\s$/))).toEqual([null, null]);
  });
});

describe("an existing identity provider under mocks", () => {
  const existing = { install: false, url: "https://sso.example.org", token: "${TOKEN}", groups: ["platform"] };
  const services = [proxy({ groups: ["staff"] }), oauth2({})];
  const hostOf = (recorder: Recorder) =>
    recorder
      .of("kubernetes:core/v1:Secret")
      .map(({ inputs }) => (inputs as unknown as Secret).stringData["AUTHENTIK_HOST"])
      .find((host) => host !== undefined);
  let recorder: Recorder;
  /** Arguments of each lookup of a group. */
  const lookups: unknown[][] = [];

  beforeAll(async () => {
    const raw = stack({ identity_provider: existing, protected_services: services, data_api: undefined });
    recorder = await deploy(raw, {
      findGroup: (...call) => {
        lookups.push(call);
        return NO_SERVERS.findGroup(...call);
      },
    });
  }, PATIENCE);

  test("has no server, database, disruption budget or blueprint", () => {
    expect([...recorder.objects("apps/v1:Deployment").keys()].filter((place) => place.includes("authentik"))).toEqual(
      [],
    );
    expect(recorder.of("kubernetes:policy/v1:PodDisruptionBudget")).toEqual([]);
    expect(recorder.of("authentik:index/blueprint:Blueprint")).toEqual([]);
    expect(recorder.resources.filter(({ type }) => type.startsWith("postgresql:"))).toEqual([]);
    expect(recorder.reads.map(({ name }) => name)).toEqual(["group-platform", "group-staff"]);
  });

  test("has its own address in outposts and in applications", () => {
    expect(hostOf(recorder)).toBe("https://sso.example.org");
    const credentials = recorder.objects<Secret>("core/v1:Secret").get("default/grafana-oauth2");
    expect(credentials?.stringData["OIDC_ISSUER"]).toBe("https://sso.example.org/application/o/grafana/");
    expect(recorder.one("pulumi:providers:authentik", "authentik").inputs["url"]).toBe("https://sso.example.org");
  });

  test("has the groups of services, and those that its section creates, none of them as a resource", () => {
    expect(recorder.of("authentik:index/group:Group")).toEqual([]);
    expect(lookups).toEqual([
      ["https://sso.example.org", "canary-token", "platform"],
      ["https://sso.example.org", "canary-token", "staff"],
    ]);
    expect(recorder.of("authentik:index/policyBinding:PolicyBinding").map(({ name }) => name)).toContain(
      "wiki-localhost-binding",
    );
    const policies = recorder.of("authentik:index/policyExpression:PolicyExpression");
    expect(policies.map(({ inputs }) => inputs["expression"])).toContain(
      'return ak_is_group_member(request.user, pk__in=["group-staff"])',
    );
  });

  test("signs identity headers under the stack's own name", () => {
    const signer = recorder.one("authentik:index/providerOauth2:ProviderOauth2", "identity-token-signer");
    expect(signer.inputs).toMatchObject({
      name: "gatehouse-identity-local",
      allowedRedirectUris: [{ url: "https://gatehouse-identity-local.invalid/" }],
    });
  });

  test(
    "has the cluster IP of its Service in outposts where it has one",
    async () => {
      const inCluster = { ...existing, namespace: "sso", service: { name: "server", port: 80 } };
      const other = await deploy(
        stack({ identity_provider: inCluster, protected_services: services, data_api: undefined }),
      );
      expect(other.reads.map(({ type, name }) => [type, name])).toContainEqual([
        "kubernetes:core/v1:Service",
        "identity-provider",
      ]);
      expect(hostOf(other)).toBe("http://127.96.0.9:80");
    },
    PATIENCE,
  );
});
