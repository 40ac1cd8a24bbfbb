/** Ten services as a team writes them by hand: IngressRoutes, an Ingress, middlewares, and applications in authentik. */
import { KubernetesObjectApi } from "@kubernetes/client-node";
import { hashSync } from "bcryptjs";
import { RetryingKubeConfig } from "../../../infra/kubeConfig.ts";
import type { Administrator } from "../../domains/administrator.ts";
import { deployEcho, type OwnPlatform } from "../../helpers/ownPlatform.ts";

export const NAMESPACE = "apps";
export const LEGACY_PASSWORD = "password of the legacy tool";
const CLIENT_SECRET = "secret of the client that exists";

/** What is compared with the output, which must not contain it. */
export const SECRETS = { hash: hashSync(LEGACY_PASSWORD, 4), client: CLIENT_SECRET };

const TRAEFIK = "traefik.io/v1alpha1";
const WHOAMI = { name: "whoami", port: 8080 };
const SSO = { name: "sso" };

interface Rule {
  readonly match: string;
  readonly services?: readonly object[];
  readonly middlewares?: readonly object[];
}

function object(kind: string, name: string, content: object, namespace = NAMESPACE): object {
  const apiVersion =
    kind === "Secret" || kind === "Service" ? "v1" : kind === "Ingress" ? "networking.k8s.io/v1" : TRAEFIK;
  return { apiVersion, kind, metadata: { name, namespace }, ...content };
}

function route(
  name: string,
  rules: readonly Rule[],
  spec: object = { entryPoints: ["web"] },
  namespace = NAMESPACE,
): object {
  const routes = rules.map((rule) => ({ kind: "Rule", services: [WHOAMI], ...rule }));
  return object("IngressRoute", name, { spec: { routes, ...spec } }, namespace);
}

const host = (label: string): string => `Host(\`${label}.localhost\`)`;

/** Creates the ten services, and waits until authentik's embedded outpost can serve them. */
export async function createServices(own: OwnPlatform): Promise<void> {
  const { clusterIP } = await service(own, "authentik-server", "authentik");
  const outpost = `http://${clusterIP}:9000/outpost.goauthentik.io/auth/traefik`;
  const callback = "PathPrefix(`/outpost.goauthentik.io/`)";
  const server = [{ name: "authentik-server", port: 9000 }];
  const annotation = "traefik.ingress.kubernetes.io/router";
  await deployEcho(own.platform, NAMESPACE);
  const objects = [
    object("Service", "whoami-two", { spec: { selector: { app: "whoami" }, ports: [{ port: 8080 }] } }),
    object("Secret", "legacy-users", { stringData: { users: `ops:${SECRETS.hash}` } }),
    object("Secret", "notes-client", { stringData: clientSettings(own) }),
    object("Middleware", "sso", {
      spec: { forwardAuth: { address: outpost, authResponseHeaders: ["X-authentik-username"] } },
    }),
    object("Middleware", "legacy-users", { spec: { basicAuth: { secret: "legacy-users", removeHeader: true } } }),
    object("Middleware", "limit", { spec: { rateLimit: { average: 1000, burst: 1000 } } }),
    object("Middleware", "office", { spec: { ipAllowList: { sourceRange: ["127.0.0.0/8", "10.0.0.0/8"] } } }),
    object("Middleware", "guarded", { spec: { chain: { middlewares: [{ name: "office" }, SSO] } } }),
    // The outpost's path, on every host of the embedded outpost.
    route(
      "callbacks",
      OUTPOST_HOSTS.map((label) => ({ match: `${host(label)} && ${callback}`, services: server })),
      undefined,
      "authentik",
    ),
    route(
      "vault-callback",
      [{ match: `${host("vault.secure")} && ${callback}`, services: server }],
      SECURE,
      "authentik",
    ),
    // The services.
    route("open", [{ match: host("open") }]),
    route("reports", [{ match: host("reports"), middlewares: [SSO] }]),
    route("legacy-tool", [{ match: host("legacy"), middlewares: [{ name: "legacy-users" }] }]),
    object("Ingress", "wiki", {
      metadata: {
        name: "wiki",
        namespace: NAMESPACE,
        annotations: {
          [`${annotation}.entrypoints`]: "web",
          [`${annotation}.middlewares`]: `${NAMESPACE}-sso@kubernetescrd`,
        },
      },
      spec: {
        rules: [
          { host: "wiki.localhost", http: { paths: [{ path: "/", pathType: "Prefix", backend: backend("whoami") }] } },
        ],
      },
    }),
    route("notes", [{ match: host("notes"), services: [{ name: "notes", port: 8080 }] }]),
    route("api", [{ match: `${host("api")} && PathPrefix(\`/v1\`)` }]),
    route("split", [{ match: host("split"), services: [WHOAMI, { name: "whoami-two", port: 8080 }] }]),
    route("vault", [{ match: host("vault.secure"), middlewares: [SSO] }], SECURE),
    route("limited", [{ match: host("limited"), middlewares: [{ name: "limit" }, SSO] }]),
    route("admin", [{ match: host("admin"), middlewares: [{ name: "guarded" }] }]),
  ];
  await createApplications(own);
  const kubeConfig = RetryingKubeConfig.fromFile(own.platform.kubeconfig);
  const api = KubernetesObjectApi.makeApiClient(kubeConfig);
  for (const one of [...objects, ...notes()]) await api.create(one);
}

const SECURE = { entryPoints: ["websecure"], tls: {} };
const OUTPOST_HOSTS = ["reports", "wiki", "limited", "admin"];

function backend(name: string): object {
  return { service: { name, port: { number: 8080 } } };
}

/** An application that signs users in itself, with the client below. */
function notes(): object[] {
  const labels = { app: "notes" };
  const env = [{ secretRef: { name: "notes-client" } }];
  const containers = [{ name: "notes", image: "gatehouse.localhost/oidc-app:1", envFrom: env }];
  const template = { metadata: { labels }, spec: { containers } };
  const metadata = { name: "notes", namespace: NAMESPACE };
  return [
    { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { selector: { matchLabels: labels }, template } },
    object("Service", "notes", { spec: { selector: labels, ports: [{ port: 8080 }] } }),
  ];
}

function clientSettings(own: OwnPlatform): Record<string, string> {
  return {
    OIDC_ISSUER: `${own.identityProvider}/application/o/notes/`,
    OIDC_CLIENT_ID: "notes",
    OIDC_CLIENT_SECRET: CLIENT_SECRET,
    OIDC_REDIRECT_URIS: `${own.origin("notes.localhost")}/callback`,
    OIDC_SCOPES: "openid email profile",
  };
}

async function service({ core }: OwnPlatform, name: string, namespace: string) {
  const { spec } = await core.readNamespacedService({ name, namespace });
  return { clusterIP: spec?.clusterIP ?? "" };
}

/** Creates the applications, of which the embedded outpost serves those with a proxy provider. */
async function createApplications(own: OwnPlatform): Promise<void> {
  const { administrator, identityProvider, platform } = own;
  const flows = await administrator.all<{ pk: string; slug: string }>("/flows/instances/");
  const flow = (slug: string) => flows.find((one) => one.slug === slug)?.pk;
  const common = {
    authorization_flow: flow("default-provider-authorization-implicit-consent"),
    invalidation_flow: flow("default-invalidation-flow"),
  };
  const staff = await groupId(administrator, "staff");
  const providers: number[] = [];
  const create = async (slug: string, kind: "proxy" | "oauth2", fields: object, group?: string): Promise<void> => {
    const body = { name: `Provider of ${slug}`, ...common, ...fields };
    const { pk } = await administrator.call<{ pk: number }>("POST", `/providers/${kind}/`, body);
    if (kind === "proxy") providers.push(pk);
    const application = await administrator.call<{ pk: string }>("POST", "/core/applications/", {
      name: slug,
      slug,
      provider: pk,
    });
    if (group !== undefined) {
      await administrator.call("POST", "/policies/bindings/", {
        target: application.pk,
        group,
        enabled: true,
        order: 0,
      });
    }
  };
  const proxy = (url: string) => ({ mode: "forward_single", external_host: url, access_token_validity: "hours=24" });
  for (const label of OUTPOST_HOSTS) {
    await create(label, "proxy", proxy(own.origin(`${label}.localhost`)), label === "reports" ? staff : undefined);
  }
  const vault = new URL(`https://vault.secure.localhost:${platform.httpsPort}`).origin;
  await create("vault", "proxy", proxy(vault), staff);
  const keys = await administrator.all<{ pk: string; name: string }>("/crypto/certificatekeypairs/");
  await create("notes", "oauth2", {
    signing_key: keys.find(({ name }) => name === "authentik Self-signed Certificate")?.pk,
    client_type: "confidential",
    client_id: "notes",
    client_secret: CLIENT_SECRET,
    grant_types: ["authorization_code"],
    property_mappings: await scopes(administrator),
    redirect_uris: [
      {
        matching_mode: "strict",
        url: `${own.origin("notes.localhost")}/callback`,
      },
    ],
  });
  const outposts = await administrator.all<{ pk: string; name: string; managed: string | null; config: object }>(
    "/outposts/instances/",
  );
  const embedded = outposts.find(({ managed }) => managed === "goauthentik.io/outposts/embedded");
  const config = { ...embedded?.config, authentik_host: identityProvider };
  await administrator.call("PATCH", `/outposts/instances/${embedded?.pk}/`, { providers, config });
}

async function groupId(administrator: Administrator, name: string): Promise<string | undefined> {
  const groups = await administrator.all<{ pk: string; name: string }>("/core/groups/");
  return groups.find((group) => group.name === name)?.pk;
}

async function scopes(administrator: Administrator): Promise<string[]> {
  const all = await administrator.all<{ pk: string; scope_name: string; managed: string | null }>(
    "/propertymappings/provider/scope/",
  );
  const wanted = all.filter(
    ({ scope_name: scope, managed }) => managed !== null && ["openid", "email", "profile"].includes(scope),
  );
  return wanted.map(({ pk }) => pk);
}
