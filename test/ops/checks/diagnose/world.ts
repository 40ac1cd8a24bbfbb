/** Generated evidence: of a stack that is as planned, and of one that is not. */
import { parseStack } from "../../../../config/load.ts";
import { IDENTITY_HEADERS, identityHeaderSpellings } from "../../../../infra/identity/headers.ts";
import { computePlan } from "../../../../infra/plan/plan.ts";
import type { Exposure, Plan } from "../../../../infra/plan/types.ts";
import type {
  Answers,
  Evidence,
  IdentityRecords,
  Observation,
  Trail,
} from "../../../../ops/checks/diagnose/evidence.ts";
import type { HostDiagnosis } from "../../../../ops/checks/diagnose/diagnosis.ts";
import { basic, oauth2, proxy, sections, shell, stack } from "../../../config/stacks.ts";

/** Readable only in its types: each test has its own. */
export type Open<T> =
  T extends ReadonlyMap<infer K, infer V>
    ? Map<K, Open<V>>
    : T extends ReadonlySet<infer V>
      ? Set<V>
      : T extends object
        ? { -readonly [K in keyof T]: Open<T[K]> }
        : T;

const DOMAINS = {
  localhost: {},
  mesh: { enabled: true, base_domain: "mesh.example.org", targets: ["192.0.2.7"] },
  external: { enabled: false, base_domain: "example.net", targets: ["192.0.2.8"] },
};
const SERVICES = [
  proxy({ groups: ["staff"] }),
  proxy({ name: "shop", application_slug: "shop", domains: ["localhost", "external"] }),
  oauth2({}),
  basic({}),
];

/** The evidence of a whole stack, changed. */
export function world(change: (evidence: Open<Evidence>) => void = () => undefined): Evidence {
  const raw = stack({ domains: DOMAINS, protected_services: SERVICES, identity_provider: sections.identity_provider });
  const settings = parseStack(raw, shell);
  const plan = computePlan(settings);
  const evidence: Evidence = {
    context: "rancher-desktop",
    settings,
    plan,
    cluster: cluster(plan),
    identity: { seen: identity(plan) },
    ownOrigin: { seen: plan.identityProviderUrl ?? "" },
    engine: {
      seen: {
        deployed: true,
        last: { kind: "update", result: "succeeded", ended: "2026-11-20T10:00:00.000Z" },
        pending: [],
        urls: plan.exposures.map(({ url }) => url),
      },
    },
    names: new Map(plan.exposures.map(({ host }) => [host, { seen: { addresses: [addressOf(host)] } }])),
    answers: new Map(plan.exposures.map((exposure) => [exposure.url, answers(exposure, plan)])),
    notAsked: 0,
  };
  change(evidence as Open<Evidence>);
  return evidence;
}

/** What was seen, to be changed. */
export function inside<T>(look: Observation<T>): T {
  if ("unseen" in look) throw new Error(`not seen: ${look.unseen}`);
  return look.seen;
}

/** The one of a list that a test is about. */
export function the<T>(list: readonly T[], matches: (one: T) => boolean): T {
  const found = list.find(matches);
  if (found === undefined) throw new Error("there is none");
  return found;
}

export function trail(hops: readonly (readonly [number, string])[], rest: Partial<Trail> = {}): Trail {
  return { hops: hops.map(([status, url]) => ({ status, url })), end: "answered", text: "other", ...rest };
}

function addressOf(host: string): string {
  return host.endsWith("localhost") ? "127.0.0.1" : "192.0.2.7";
}

function cluster({ routes, middlewares, records, exposures, outposts }: Plan): Evidence["cluster"] {
  const places = [
    ...exposures.map(({ backend }) => backend),
    { namespace: "authentik", name: "authentik-server", port: 9000 },
    ...outposts,
  ];
  const addressOfService = (service: string): string => {
    const outpost = outposts.findIndex(({ name }) => name === service);
    if (outpost >= 0) return `10.43.1.${outpost + 1}`;
    return service === "authentik-server" ? "10.43.0.9" : "10.43.0.10";
  };
  return {
    routes: {
      seen: routes.map(({ namespace, name, entryPoint, rules }) => ({
        ...{ namespace, name, entryPoints: [entryPoint] },
        rules: rules.map(({ match, priority, middlewares: chain, backend }) => ({
          ...{ match, priority, passHostHeader: true },
          middlewares: chain.map((one) => `${namespace}/${one}`),
          backends: [`${backend.namespace}/${backend.name}:${backend.port}`],
        })),
      })),
    },
    middlewares: {
      seen: middlewares.map((planned) => {
        const { namespace, name, kind } = planned;
        const dropped = kind === "strip" ? identityHeaderSpellings() : [];
        return {
          ...{ namespace, name },
          forwardAuth:
            kind === "forward-auth"
              ? {
                  address: `http://${addressOfService(planned.outpost)}:9000/outpost.goauthentik.io/auth/${planned.refusal === "login" ? "traefik" : "nginx"}`,
                  requestHeaders: ["Cookie", "X-Original-URI"],
                  responseHeaders: [...IDENTITY_HEADERS],
                  trustForwardHeader: planned.upstream,
                }
              : undefined,
          basicAuth: kind === "basic-auth" ? name : undefined,
          requestHeaders: new Map(dropped.map((header) => [header.toLowerCase(), "removed"] as const)),
        };
      }),
    },
    services: {
      seen: places.map(({ namespace, name, port }) => ({
        ...{ namespace, name, ports: [port], ready: 1 },
        clusterIP: addressOfService(name),
      })),
    },
    secrets: { seen: new Set(["default/legacy-basic-auth"]) },
    dns: {
      seen: {
        rewrite: "rewrite stop name regex (.*)\\.localhost\\.$ traefik.kube-system.svc.cluster.local answer auto\n",
        endpoints: new Map(
          records
            .filter(({ targets }) => targets.length > 0)
            .map(({ owner, domain, hosts }) => [`${owner}-${domain}`, hosts]),
        ),
      },
    },
    serverSettings: { seen: [{ deployment: "authentik-server", trustedProxies: undefined }] },
    traefik: { seen: "3.7.13" },
  };
}

function identity({ exposures, clients, outposts, identityProviderUrl = "" }: Plan): IdentityRecords {
  const forwarded = exposures.filter(({ application }) => application !== undefined);
  const proxies = forwarded.map(({ id, url, session = "" }, index) => ({
    ...{ id: index + 1, name: id, mode: "forward_single", externalHost: url, cookieDomain: "", session },
  }));
  const applications = forwarded.map(({ application }, index) => ({
    ...{ id: `proxy-${index}`, slug: application?.slug ?? "", provider: index + 1 },
  }));
  const own = clients.map(({ service, redirectUris }, index) => ({
    id: 100 + index,
    name: service,
    redirectUris: [...redirectUris],
  }));
  const more = clients.map(({ application }, index) => ({
    id: `client-${index}`,
    slug: application.slug,
    provider: 100 + index,
  }));
  const served = (name: string): number[] =>
    forwarded.flatMap(({ outpost }, index) => (outpost === name ? [index + 1] : []));
  const bindings = new Map([
    ...forwarded.map(({ groups }, index) => [`proxy-${index}`, [...groups]] as const),
    ...clients.map(({ groups }, index) => [`client-${index}`, [...groups]] as const),
  ]);
  return {
    version: "2026.5.7",
    proxies,
    clients: own,
    applications: [...applications, ...more],
    outposts: [
      // authentik's own, which serves nothing.
      { name: "authentik Embedded Outpost", providers: [], authentikHost: "" },
      ...outposts.map(({ name }) => ({ name, providers: served(name), authentikHost: identityProviderUrl })),
    ],
    bindings,
  };
}

function answers(exposure: Exposure, { identityProviderUrl = "" }: Plan): Answers {
  const { url, authentication, protection } = exposure;
  const login = [
    [302, `${url}/`],
    [302, `${identityProviderUrl}/application/o/authorize/`],
    [200, `${identityProviderUrl}/if/flow/default-authentication-flow/`],
  ] as const;
  if (authentication === "basic-auth") return { withoutSession: trail([[401, `${url}/`]]), withSession: undefined };
  if (authentication === "none" && protection === "open") {
    return { withoutSession: trail([[200, `${url}/`]]), withSession: undefined };
  }
  const withSession =
    authentication === "forward-auth"
      ? { username: "inge", trail: trail([...login, [302, `${url}/`], [200, `${url}/`]]) }
      : undefined;
  return { withoutSession: trail(login), withSession };
}

/** Symptom and cause of a host, and what else holds. */
export function brief({ symptom, cause, also }: HostDiagnosis): string[] {
  return [symptom.kind, cause?.cause ?? "none", ...also.map((finding) => `also ${finding.cause}`)];
}
