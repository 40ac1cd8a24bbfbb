/** Generated evidence of a stack that is as planned. */
import { NO_OPEN_PATHS } from "../../../../protections/forwardAuth.ts";
import { parseStack } from "../../../../config/load.ts";
import { computePlan } from "../../../../infra/plan/plan.ts";
import { isForwarded } from "../../../../infra/plan/exposure.ts";
import { providerOf } from "../../../../infra/plan/outposts.ts";
import type { Exposure, Plan } from "../../../../infra/plan/types.ts";
import { EMBEDDED_OUTPOST } from "../../../../ops/clients/identityRecords.ts";
import type { Answers, Evidence, Trail } from "../../../../ops/checks/diagnose/evidence.ts";
import type { Observation } from "../../../../ops/checks/observation.ts";
import type { ObservedRecords } from "../../../../ops/checks/diagnose/evidence/identity.ts";
import type { HostDiagnosis } from "../../../../ops/checks/diagnose/diagnosis.ts";
import { clusterOf } from "../audit/cluster.ts";
import { basic, oauth2, proxy, sections, shell, stack } from "../../../config/stacks.ts";

/** The type with writable fields: each test has its own evidence. */
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

/** Returns the evidence of a stack that is as planned, changed. */
export function evidenceOf(
  change: (evidence: Open<Evidence>) => void = () => undefined,
  identityProvider = sections.identity_provider,
): Evidence {
  const raw = stack({ domains: DOMAINS, protected_services: SERVICES, identity_provider: identityProvider });
  const settings = parseStack(raw, shell);
  const plan = computePlan(settings);
  const evidence: Evidence = {
    context: "rancher-desktop",
    given: "rancher-desktop",
    settings,
    plan,
    cluster: cluster(plan),
    identity: { value: identity(plan) },
    ownOrigin: { value: plan.identityProviderUrl ?? "" },
    engine: {
      value: {
        deployed: true,
        last: { kind: "update", result: "succeeded", ended: "2026-11-20T10:00:00.000Z" },
        pending: [],
        urls: plan.exposures.map(({ url }) => url),
      },
    },
    names: new Map(plan.exposures.map(({ host }) => [host, { value: { addresses: [addressOf(host)] } }])),
    answers: new Map(plan.exposures.map((exposure) => [exposure.url, answers(exposure, plan)])),
    notRequested: 0,
  };
  change(evidence as Open<Evidence>);
  return evidence;
}

/** Returns what was observed, to be changed. */
export function inside<T>(observation: Observation<T>): T {
  if ("unavailable" in observation) throw new Error(observation.unavailable);
  return observation.value;
}

/** Returns the first of a list that matches. */
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

function cluster(plan: Plan): Evidence["cluster"] {
  return {
    objects: { value: clusterOf(plan) },
    secrets: { value: new Set(["default/legacy-basic-auth"]) },
    rewrite: {
      value: "rewrite stop name regex (.*)\\.localhost\\.$ traefik.kube-system.svc.cluster.local answer auto\n",
    },
  };
}

/** Fields of an application that no cause reads. */
const APPLICATION = { name: "Application", meta_description: "", policy_engine_mode: "any" };

function identity(plan: Plan): ObservedRecords {
  const { exposures, clients, outposts, groups, groupPolicies, identityProviderUrl = "" } = plan;
  const forwarded = exposures.filter(isForwarded);
  const proxies = forwarded.map((exposure, index) => ({
    pk: index + 1,
    name: providerOf(exposure),
    mode: "forward_single",
    external_host: exposure.url,
    internal_host: "",
    property_mappings: [],
    cookie_domain: "",
    access_token_validity: exposure.session ?? "",
    authorization_flow: "flow",
    skip_path_regex: NO_OPEN_PATHS,
    basic_auth_enabled: false,
  }));
  const applications = forwarded.map(({ application }, index) => ({
    pk: `proxy-${index}`,
    slug: application.slug,
    provider: index + 1,
    ...APPLICATION,
  }));
  const own = clients.map(({ application, redirectUris }, index) => ({
    pk: 100 + index,
    name: application.slug,
    redirect_uris: redirectUris.map((uri) => ({
      url: uri,
      matching_mode: "strict",
    })),
    logout_uris: [],
    authorization_flow: "flow",
    access_token_validity: "minutes=5",
    refresh_token_validity: "days=30",
    client_type: "confidential" as const,
    sub_mode: "hashed_user_id",
    property_mappings: [],
  }));
  const more = clients.map(({ application }, index) => ({
    pk: `client-${index}`,
    slug: application.slug,
    provider: 100 + index,
    ...APPLICATION,
  }));
  const served = (name: string): number[] =>
    forwarded.flatMap(({ outpost }, index) => (outpost === name ? [index + 1] : []));
  const bound = (groups: readonly string[]) =>
    groupPolicies
      .filter((policy) => policy.groups.join() === groups.join())
      .map(({ name }) => ({ kind: "policy" as const, name, negate: false }));
  const bindings = new Map([
    ...forwarded.map(({ groups }, index) => [`proxy-${index}`, bound(groups)] as const),
    ...clients.map(({ groups }, index) => [`client-${index}`, bound(groups)] as const),
  ]);
  return {
    proxies,
    clients: own,
    applications: [...applications, ...more],
    outposts: [
      // authentik's own, which serves nothing.
      {
        pk: "embedded",
        managed: EMBEDDED_OUTPOST,
        name: "authentik Embedded Outpost",
        providers: [],
        config: { authentik_host: "" },
      },
      ...outposts.map(({ name }) => ({
        pk: name,
        managed: null,
        name,
        providers: served(name),
        config: { authentik_host: identityProviderUrl },
      })),
    ],
    bindings,
    groups: new Set(groups),
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

/** Returns the symptom and the causes of a host. */
export function brief({ symptom, cause, also }: HostDiagnosis): string[] {
  return [symptom.kind, cause?.subject ?? "none", ...also.map(({ subject }) => `also ${subject}`)];
}
