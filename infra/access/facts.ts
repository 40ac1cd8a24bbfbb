/** The types of access facts, which the access diff compares. */
import type { AllowedUsers } from "../../protections/allowedUsers.ts";
import type {
  ClientCredentials,
  Exposure,
  Login,
  Member,
  ObjectKind,
  RecordSet,
  RouteRule,
  SchemaPlan,
  Tokens,
} from "../plan/types.ts";

/** Everything that is compared: by what it is about, then by name. */
export interface Sections {
  /** By host. */
  readonly host: HostFacts;
  /** OAuth clients, by service. */
  readonly client: ClientFacts;
  /** By name. */
  readonly member: MemberFacts;
  /** The usernames of basic services, and where their passwords come from, by service. */
  readonly login: LoginFacts;
  /** By name. */
  readonly group: {
    /** By a deployment, unless it exists; otherwise it must exist. */
    readonly created: boolean;
  };
  /** Records, by domain kind. */
  readonly domain: DomainFacts;
  /** By name. */
  readonly schema: SchemaFacts;
  /** By role, schema and kind of object. */
  readonly grant: GrantFacts;
  /** Privileges on what is created later, by owner, role, schema and kind of object. */
  readonly default: DefaultFacts;
  /** By what the role is for. */
  readonly role: { readonly name: string };
  /** By name. */
  readonly limit: { readonly value: number };
  /** Single values of the stack. */
  readonly setting: SettingFacts;
}
export type Section = keyof Sections;
export type AccessFacts = { readonly [S in Section]: ReadonlyMap<string, Sections[S]> };

export interface HostFacts extends Pick<
  Exposure,
  "url" | "role" | "domain" | "service" | "entry" | "publicPaths" | "session" | "outpost"
> {
  readonly protection: { readonly type: string; readonly authentication: string };
  readonly allowedUsers: AllowedUsers;
  /** Identity headers that the backend receives. */
  readonly headers: readonly string[];
  readonly backend: string;
  /** Where TLS is terminated; undefined = nowhere. */
  readonly tls: string | undefined;
  /** Slug and name in the identity provider. */
  readonly application: string | undefined;
  readonly rules: readonly RuleFacts[];
}

/** Everything that the gateway does with a request. */
export interface RuleFacts extends Pick<RouteRule, "match" | "priority" | "authentication" | "openBecause"> {
  readonly entryPoint: string;
  readonly backend: string;
  /** TLS of the route, with the name of its certificate. */
  readonly tls: string | undefined;
  /** What the middlewares are, in order. */
  readonly chain: readonly string[];
}

export interface ClientFacts extends Omit<Tokens, "refreshTokenValidity">, ClientCredentials {
  /** Undefined without the scope offline_access: the client gets none. */
  readonly refreshTokenValidity: string | undefined;
  readonly name: string;
  readonly slug: string;
  readonly groups: readonly string[];
  readonly redirectUris: readonly string[];
  readonly launchUrl: string;
  /** Namespace and name of the Secret with the credentials. */
  readonly secret: string;
}

export type MemberFacts = Pick<Member, "kind" | "groups">;
type LoginFacts = Omit<Login, "service">;
export type DomainFacts = Pick<RecordSet, "hosts" | "targets" | "owner">;

/** Purpose of a role of the data API. Facts contain it instead of the name, so that a role can be renamed. */
export type RoleFunction = "anonymous role" | "authenticator role" | "owner role" | "administrator role" | "every role";

export interface SchemaFacts {
  readonly access: SchemaPlan["access"];
  readonly owner: string;
  /** Its announced end. */
  readonly deprecation: string | undefined;
}
export interface GrantFacts {
  readonly role: string;
  readonly schema: string | undefined;
  readonly kind: ObjectKind;
  readonly privileges: readonly string[];
}
export interface DefaultFacts extends GrantFacts {
  /** Whose objects. */
  readonly owner: string;
}
export interface SettingFacts {
  readonly value: string;
}
