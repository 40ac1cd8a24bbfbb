/**
 * The objects that the emulator stores, by kind. Field names are authentik's own; fields that the REST description does not know (a password's
 * hash, keys) are in no response of the API.
 */
import { readFileSync } from "node:fs";
import { parse } from "yaml";

export type Fields = Record<string, unknown>;
export type Stored = Fields & { pk: string | number };

export type User = {
  pk: number;
  uuid: string;
  username: string;
  name: string;
  email: string;
  type: string;
  is_active: boolean;
  groups: string[];
  attributes: Fields;
  password: string;
  password_change_date: string;
  last_login: string | null;
};
export type Group = {
  pk: string;
  name: string;
  is_superuser: boolean;
  parents: string[];
  attributes: Fields;
};
export type Flow = { pk: string; slug: string; designation: string; title: string };
type Mapping = { pk: string; managed: string | null; name: string; scope_name: string; expression: string };
/** Without a type it is for authorization; `logout` ones are where a browser may go once it is signed out. */
type RedirectUri = { matching_mode: string; url: string; redirect_uri_type?: string };
/** Both provider models: they share one sequence of ids, and a proxy provider is an OAuth2 client too. */
export type Provider = {
  pk: number;
  model: "proxy" | "oauth2";
  name: string;
  client_id: string;
  client_secret: string;
  client_type: string;
  cookie_secret: string;
  invalidation_flow: string;
  property_mappings: string[];
  redirect_uris: RedirectUri[];
  signing_key: string | null;
  include_claims_in_id_token: boolean;
  sub_mode: string;
  access_code_validity: string;
  access_token_validity: string;
  refresh_token_validity: string;
  /** OAuth 2.0 providers only. */
  refresh_token_threshold?: string;
  issuer_mode: string;
  grant_types: string[];
  external_host: string;
  mode: string;
  cookie_domain: string;
  skip_path_regex: string;
  intercept_header_auth: boolean;
  basic_auth_enabled: boolean;
  basic_auth_user_attribute: string;
  basic_auth_password_attribute: string;
};
export type Application = {
  pk: string;
  name: string;
  slug: string;
  provider: number | null;
  policy_engine_mode: string;
};
export type Outpost = {
  pk: string;
  name: string;
  type: string;
  providers: number[];
  config: Fields;
  managed: string | null;
};
export type Binding = {
  pk: string;
  target: string;
  group: string | null;
  user: number | null;
  policy: string | null;
  enabled: boolean;
  negate: boolean;
};
/** An expression policy. */
type Policy = { pk: string; name: string; expression: string };
export type KeyPair = { pk: string; name: string; certificate_data: string; key_data: string };
export type Token = {
  pk: string;
  identifier: string;
  user: number;
  intent: string;
  key: string;
  expiring: boolean;
  expires: string | null;
};
export type Blueprint = {
  pk: string;
  name: string;
  path: string;
  content: string;
  context: Fields;
  enabled: boolean;
  status: string;
  last_applied: string;
  last_applied_hash: string;
  metadata: Fields;
};
/** The stage that signs a user in. */
type LoginStage = { pk: string; name: string; session_duration: string };
/** What is left of a flow, the next stage first, and what its stages need. */
export type FlowPlan = {
  slug: string;
  stages: StageName[];
  username?: string;
  user?: number;
  failures: number;
  /** Of the application that the user signs out of. */
  application?: string;
  postLogoutRedirect?: string;
};
export type StageName = "identification" | "password" | "mfa-validation" | "user-login" | "user-logout" | "session-end";
/** A browser's session with authentik; `pk` is the cookie's value. `authorizations` belongs to the OpenID library. */
export type Session = {
  pk: string;
  uid: string;
  csrf: string;
  user: number | null;
  loginTs: number | null;
  exp: number;
  /** False = the browser forgets it when it closes. */
  lasting: boolean;
  /** The flow that the browser is in: its plan. */
  flow: FlowPlan | null;
  authorizations: Fields;
};
/** A session of the embedded outpost; `pk` is what its cookies carry. */
type OutpostSession = { pk: string; exp: number; values: Fields };
/** A code, token or grant of the OpenID library; `pk` is `<provider>:<model>:<id>`. */
type Artifact = { pk: string; exp: number; payload: Fields };

export type Kinds = {
  user: User;
  group: Group;
  flow: Flow;
  mapping: Mapping;
  provider: Provider;
  application: Application;
  outpost: Outpost;
  binding: Binding;
  policy: Policy;
  keypair: KeyPair;
  token: Token;
  blueprint: Blueprint;
  stage: LoginStage;
  session: Session;
  outpost_session: OutpostSession;
  artifact: Artifact;
  sequence: { pk: string; last: number };
};
export type Kind = keyof Kinds;

/** Owner → its fields → the kind that they point at. */
export const references = read<Partial<Record<Kind, Record<string, Kind>>>>("references.yaml");
export const dependents: readonly Kind[] = ["binding", "token", "session"];

/** `managed` of the outpost inside of the server. */
export const EMBEDDED_OUTPOST = "goauthentik.io/outposts/embedded";

/** Reads a YAML file next to this one. */
export function read<T>(file: string): T {
  return parse(readFileSync(new URL(file, import.meta.url), "utf8")) as T;
}
