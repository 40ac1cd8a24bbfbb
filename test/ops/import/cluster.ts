/** Objects of a cluster and records of an authentik that were written by hand. */
import { parseStack } from "../../../config/load.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import type { IdentityRecords } from "../../../ops/clients/identityRecords.ts";
import { importServices, type Import } from "../../../ops/import/import.ts";
import { newStack, type TargetStack } from "../../../ops/import/target.ts";
import type { Source } from "../../../ops/import/source.ts";
import type { Manifest } from "../../../manifests/resource.ts";
import { object } from "../checks/audit/cluster.ts";

const TRAEFIK = "traefik.io/v1alpha1";
/** The server of the authentik that was read. */
export const SERVER = { namespace: "authentik", name: "authentik-server" };
export const FORWARD_AUTH = "http://authentik-server.authentik.svc:9000/outpost.goauthentik.io/auth/traefik";

/** Returns a Service with one port. */
export function service(place: string, port = 80, spec: object = {}): Manifest {
  return object("core/v1", "Service", place, { spec: { ports: [{ port, name: "http" }], ...spec } });
}

/** Returns a Middleware with one section. */
export function middleware(place: string, kind: string, section: object): Manifest {
  return object(TRAEFIK, "Middleware", place, { spec: { [kind]: section } });
}

export const authentik = (place: string): Manifest =>
  middleware(place, "forwardAuth", { address: FORWARD_AUTH, authResponseHeaders: ["X-authentik-username"] });

/** Returns a rule for the Service `name` on port 80, with middlewares of the same namespace. */
export function rule(match: string, name: string, middlewares: readonly string[] = [], fields: object = {}): object {
  const references = middlewares.length > 0 ? { middlewares: middlewares.map((one) => ({ name: one })) } : {};
  return { kind: "Rule", match, services: [{ name, port: 80 }], ...references, ...fields };
}

export function route(place: string, routes: readonly object[], spec: object = {}): Manifest {
  return object(TRAEFIK, "IngressRoute", place, { spec: { entryPoints: ["web"], routes, ...spec } });
}

export function ingress(
  place: string,
  host: string,
  name: string,
  annotations: object = {},
  path = "/",
  port = 80,
): Manifest {
  const paths = [{ path, pathType: "Prefix", backend: { service: { name, port: { number: port } } } }];
  const metadata = { namespace: place.split("/")[0], name: place.split("/")[1], annotations };
  return object("networking.k8s.io/v1", "Ingress", place, { metadata, spec: { rules: [{ host, http: { paths } }] } });
}

export const OUTPOST_PK = "0f3a9c52-7d1e-4b86-9a40-6c2d8e5b1f07";

/** An authentik without applications. */
const EMPTY: IdentityRecords = {
  applications: [],
  proxies: [],
  clients: [],
  bindings: [],
  groups: [],
  scopes: [],
  flows: [
    {
      pk: "implicit",
      slug: "default-provider-authorization-implicit-consent",
    },
    { pk: "custom", slug: "terms-of-use" },
  ],
  outposts: [],
};

interface Proxy {
  readonly slug: string;
  readonly host: string;
  readonly groups?: readonly string[];
  readonly provider?: object;
  readonly application?: object;
  readonly bindings?: readonly object[];
}

/** Returns the records of applications behind forward auth, in one outpost. */
export function proxies(...list: readonly Proxy[]): IdentityRecords {
  const names = [...new Set(list.flatMap(({ groups = [] }) => groups))];
  const bindings = list.flatMap(({ slug, groups = [], bindings: more = [] }) =>
    [...groups.map((group) => ({ group: `pk-${group}` })), ...more].map((fields) => ({
      target: `app-${slug}`,
      enabled: true,
      negate: false,
      policy: null,
      group: null,
      user: null,
      ...fields,
    })),
  );
  return {
    ...EMPTY,
    groups: names.map((name) => ({ pk: `pk-${name}`, name })),
    bindings,
    applications: list.map(({ slug, application }, index) => ({
      pk: `app-${slug}`,
      slug,
      name: slug,
      provider: index + 1,
      meta_description: "",
      policy_engine_mode: "any",
      ...application,
    })),
    proxies: list.map(({ slug, host, provider }, index) => ({
      pk: index + 1,
      name: `Provider of ${slug}`,
      authorization_flow: "implicit",
      access_token_validity: "hours=24",
      mode: "forward_single",
      external_host: `http://${host}`,
      internal_host: "",
      property_mappings: [],
      cookie_domain: "",
      skip_path_regex: "",
      basic_auth_enabled: false,
      authentication_flow: null,
      ...provider,
    })),
    outposts: [
      {
        pk: OUTPOST_PK,
        managed: "goauthentik.io/outposts/embedded",
        name: "authentik Embedded Outpost",
        providers: list.map((_, index) => index + 1),
        config: { authentik_host: "" },
      },
    ],
  };
}

/** Adds an OpenID Connect client to the records. */
export function withClient(records: IdentityRecords, slug: string, url: string, fields: object = {}): IdentityRecords {
  const pk = 1000 + records.clients.length;
  const application = {
    pk: `app-${slug}`,
    slug,
    name: slug,
    provider: pk,
    meta_description: "",
    policy_engine_mode: "any",
  };
  const client = {
    pk,
    name: slug,
    authorization_flow: "implicit",
    access_token_validity: "minutes=5",
    client_type: "confidential" as const,
    refresh_token_validity: "days=30",
    sub_mode: "user_username",
    property_mappings: [],
    redirect_uris: [
      {
        url,
        matching_mode: "strict",
      },
    ],
    logout_uris: [],
    ...fields,
  };
  return { ...records, applications: [...records.applications, application], clients: [...records.clients, client] };
}

export function sourceOf(manifests: readonly Manifest[], fields: Partial<Source> = {}): Source {
  return {
    manifests,
    users: new Map(),
    identity: EMPTY,
    entryPoints: {
      http: "web",
      https: "websecure",
    },
    options: new Map(),
    servers: [SERVER],
    ...fields,
  };
}

export const NEW: TargetStack = newStack("rancher-desktop", {});

/** The stack of {@link NEW} with these sections. */
export function stackWith(sections: Record<string, unknown>): TargetStack {
  const own = Object.entries(sections).map(([key, value]) => [`gatehouse:${key}`, { value }]);
  const raw = {
    ...NEW.raw,
    file: "Pulumi.dev.yaml",
    config: { ...NEW.raw.config, ...(Object.fromEntries(own) as TargetStack["raw"]["config"]) },
  };
  const settings = parseStack(raw, {}, { secretsRequired: false });
  return { raw, environment: {}, settings, plan: computePlan(settings) };
}

export function imported(manifests: readonly Manifest[], fields: Partial<Source> = {}, target = NEW): Import {
  return importServices(sourceOf(manifests, fields), target);
}

/** Returns the entries without their descriptions. */
export function entriesOf({ entries }: Import): object[] {
  return entries.map(({ fields }) =>
    Object.fromEntries(Object.entries(fields).filter(([key]) => key !== "description")),
  );
}

/** Returns the reasons by the rule. */
export function reasonsOf({ unmapped }: Import): Record<string, readonly string[]> {
  return Object.fromEntries([...unmapped].map(([{ match }, reasons]) => [match, reasons]));
}

/** An application behind forward auth, with its Middleware; its users are in two groups. */
export const REPORTS = [service("apps/reports-web"), authentik("apps/sso")];
export const STAFF = proxies({ slug: "reports", host: "reports.example.org", groups: ["staff", "admins"] });
export const HOST = "Host(`reports.example.org`)";
