/** The observations as plain data, the only input of the causes. Contains no secret by construction: only the named fields are read. */
import type { Settings } from "../../../config/settings.ts";
import type { Plan } from "../../../infra/plan/types.ts";
import type { DeployedService } from "../../clients/services.ts";

/** An observed value, or the reason why it could not be observed. */
export type Observation<T> = { readonly seen: T } | { readonly unseen: string };

export interface Evidence {
  readonly context: string;
  readonly settings: Settings;
  readonly plan: Plan;
  readonly cluster: Cluster;
  readonly identity: Observation<IdentityRecords>;
  /** Origin that the identity provider takes for its own, when it is asked as a browser would. */
  readonly ownOrigin: Observation<string>;
  readonly engine: Observation<EngineState>;
  /** By host. */
  readonly names: ReadonlyMap<string, Observation<NameAnswer>>;
  /** By URL. */
  readonly answers: ReadonlyMap<string, Answers>;
  /** How many hosts had no turn within the time for all. */
  readonly notAsked: number;
}

/** What the cluster has; each part may be forbidden to who asks. */
export interface Cluster {
  readonly routes: Observation<readonly DeployedRoute[]>;
  readonly middlewares: Observation<readonly DeployedMiddleware[]>;
  readonly services: Observation<readonly DeployedService[]>;
  /** `namespace/name` of the Secrets that deployed middlewares name. */
  readonly secrets: Observation<ReadonlySet<string>>;
  readonly dns: Observation<ClusterNames>;
  /** Settings of authentik's pods that are no secrets, by Deployment. */
  readonly serverSettings: Observation<readonly ServerSettings[]>;
  /** Version in Traefik's image; undefined when it is no Deployment there. */
  readonly traefik: Observation<string | undefined>;
}

/** An IngressRoute of anyone. */
export interface DeployedRoute {
  readonly namespace: string;
  readonly name: string;
  readonly entryPoints: readonly string[];
  readonly rules: readonly DeployedRule[];
}

export interface DeployedRule {
  readonly match: string;
  /** Traefik's own where none is stated: the rule's length. */
  readonly priority: number;
  /** `namespace/name`. */
  readonly middlewares: readonly string[];
  /** `namespace/name:port`. */
  readonly backends: readonly string[];
  /** Whether the client's Host is kept. */
  readonly passHostHeader: boolean;
}

export interface DeployedMiddleware {
  readonly namespace: string;
  readonly name: string;
  readonly forwardAuth:
    | {
        readonly address: string;
        /** Undefined = every header. */
        readonly requestHeaders: readonly string[] | undefined;
        readonly responseHeaders: readonly string[];
        readonly trustForwardHeader: boolean;
      }
    | undefined;
  /** Name of the Secret with its users. */
  readonly basicAuth: string | undefined;
  /** Lower-case names of request headers that it sets, each with whether it removes it. */
  readonly requestHeaders: ReadonlyMap<string, "removed" | "set">;
}

export interface ClusterNames {
  /** Our key in CoreDNS's configuration. */
  readonly rewrite: string | undefined;
  /** Of every DNSEndpoint of the stack: name and hosts; undefined when the kind is not known there. */
  readonly endpoints: ReadonlyMap<string, readonly string[]> | undefined;
}

export interface ServerSettings {
  readonly deployment: string;
  /** Networks whose `X-Forwarded-*` count; undefined = authentik's default: loopback and private networks. */
  readonly trustedProxies: string | undefined;
}

/** What the identity provider has. */
export interface IdentityRecords {
  readonly version: string;
  readonly proxies: readonly ProxyRecord[];
  readonly clients: readonly ClientRecord[];
  readonly applications: readonly { readonly id: string; readonly slug: string; readonly provider: number | null }[];
  readonly outposts: readonly OutpostRecord[];
  /** Groups that may enter, by the id of the application; disabled bindings are left out. */
  readonly bindings: ReadonlyMap<string, readonly string[]>;
}

export interface ProxyRecord {
  readonly id: number;
  readonly name: string;
  readonly mode: string;
  readonly externalHost: string;
  readonly cookieDomain: string;
  readonly session: string;
}

export interface ClientRecord {
  readonly id: number;
  readonly name: string;
  readonly redirectUris: readonly string[];
}

export interface OutpostRecord {
  readonly name: string;
  readonly providers: readonly number[];
  /** Where it sends browsers. */
  readonly authentikHost: string;
}

/** What the engine noted. */
export interface EngineState {
  /** Whether anything was ever deployed. */
  readonly deployed: boolean;
  /** The newest update or destroy. */
  readonly last: { readonly kind: string; readonly result: string; readonly ended: string } | undefined;
  /** What was under way when a run was killed. */
  readonly pending: readonly string[];
  /** Every URL of the last deployment that came to its end. */
  readonly urls: readonly string[] | undefined;
}

/** What the system's resolver says of a host. */
export type NameAnswer = { readonly addresses: readonly string[] } | { readonly code: string };

/** What a host answered. */
export interface Answers {
  readonly withoutSession: Trail;
  /** Of an allowed user; undefined if no password is known, or no sign-in is required. */
  readonly withSession: { readonly username: string; readonly trail: Trail } | undefined;
}

/** A request and every redirect that it led to. */
export interface Trail {
  readonly hops: readonly Hop[];
  readonly end: "answered" | "loop" | "too many redirects" | { readonly error: string };
  /** What the last answer's text shows. */
  readonly text: "gateway: no route" | "outpost: no provider" | "refused: origin" | "denied" | "other";
}

export interface Hop {
  /** Origin and path; queries hold tokens. */
  readonly url: string;
  readonly status: number;
}
