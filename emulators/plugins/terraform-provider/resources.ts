/** The fields of each resource in requests and responses. From the Terraform provider's source, tag v2026.5.0, and recorded calls. */
import { isDeepStrictEqual } from "node:util";

import { asText, isEmpty, oneOf } from "../bridge.ts";
import type { Field } from "../bridge.ts";
import type { Value, Values } from "../protocol/plugin.ts";

export interface WireField extends Field {
  /** The name in the API, where it is not the same words with underscores. */
  readonly json?: string;
  /** `set`: left out of the body when false or empty. `null`: null when empty. Default: always. */
  readonly send?: "set" | "null" | "never";
  /** Not in responses: the state keeps the value of the program. */
  readonly unread?: true;
  /** JSON text in the program, an object in the API. */
  readonly object?: true;
  readonly list?: true;
}

export interface Resource {
  /** Below `/api/v3`. */
  readonly path: string;
  /** The field of the answer that is the id; default `pk`. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, WireField>>;
}

type Fields = Resource["fields"];

const all = (field: WireField, names: string): Fields =>
  Object.fromEntries(names.split(" ").map((name) => [name, field]));
const required = (names: string): Fields => all({}, names);
const whenSet = (names: string): Fields => all({ send: "set" }, names);
const orNull = (names: string): Fields => all({ send: "null" }, names);
const lists = (names: string): Fields => all({ list: true, default: [] }, names);
const computedLists = (names: string): Fields => all({ list: true, computed: true }, names);
const object: WireField = { object: true, default: "{}", validate: validateJson, same: sameJson };
const code: WireField = { same: sameCode };

function defaults(values: Readonly<Record<string, Value>>): Fields {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { default: value }]));
}
/** The first choice is the default. */
function choice(name: string, ...allowed: readonly [string, ...string[]]): WireField {
  return { default: allowed[0], validate: oneOf(name, allowed) };
}
function durations(values: Readonly<Record<string, string>>): Fields {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { default: value, validate: validateDuration }]),
  );
}

const provider: Fields = {
  ...required("name authorizationFlow invalidationFlow"),
  ...orNull("authenticationFlow"),
  ...lists("propertyMappings jwtFederationSources jwtFederationProviders"),
};

export const RESOURCES: Readonly<Record<string, Resource>> = {
  Group: {
    path: "/core/groups/",
    query: {
      include_children: "false",
      include_inherited_roles: "false",
      include_parents: "false",
      include_users: "false",
    },
    fields: {
      ...required("name"),
      ...defaults({ isSuperuser: false }),
      ...lists("parents roles"),
      ...computedLists("users"),
      attributes: object,
    },
  },
  User: {
    path: "/core/users/",
    fields: {
      ...required("username name"),
      ...defaults({ isActive: true, path: "users" }),
      ...whenSet("email"),
      ...computedLists("groups roles"),
      type: choice("type", "internal", "external", "service_account", "internal_service_account"),
      attributes: object,
      password: { send: "never", unread: true, secret: true },
    },
  },
  PropertyMappingProviderScope: {
    path: "/propertymappings/provider/scope/",
    fields: { ...required("name scopeName"), ...whenSet("description"), expression: code },
  },
  ProviderProxy: {
    path: "/providers/proxy/",
    fields: {
      ...provider,
      ...required("externalHost"),
      ...whenSet("internalHost cookieDomain basicAuthPasswordAttribute basicAuthEnabled"),
      ...durations({ accessTokenValidity: "minutes=10", refreshTokenValidity: "days=30" }),
      mode: choice("mode", "proxy", "forward_single", "forward_domain"),
      clientId: { send: "never", output: true },
      interceptHeaderAuth: { send: "set", default: true },
      internalHostSslValidation: { send: "set", default: true },
      skipPathRegex: { send: "set", same: sameCode },
      basicAuthUsernameAttribute: { send: "set", json: "basic_auth_user_attribute" },
    },
  },
  ProviderOauth2: {
    path: "/providers/oauth2/",
    fields: {
      ...provider,
      ...required("clientId"),
      ...defaults({ includeClaimsInIdToken: true }),
      ...orNull("signingKey encryptionKey"),
      ...whenSet("logoutUri"),
      ...durations({ accessCodeValidity: "minutes=1", accessTokenValidity: "minutes=10" }),
      ...durations({ refreshTokenValidity: "days=30", refreshTokenThreshold: "seconds=0" }),
      clientType: choice("client_type", "confidential", "public"),
      clientSecret: { send: "set", computed: true, secret: true },
      grantTypes: { send: "set", list: true, computed: true },
      allowedRedirectUris: { list: true, default: [], json: "redirect_uris", validate: validateRedirects },
      subMode: choice("sub_mode", "hashed_user_id", "user_id", "user_uuid", "user_username", "user_email", "user_upn"),
      issuerMode: choice("issuer_mode", "per_provider", "global"),
      logoutMethod: choice("logout_method", "backchannel", "frontchannel"),
    },
  },
  Application: {
    path: "/core/applications/",
    key: "slug",
    fields: {
      ...required("name slug"),
      ...defaults({ openInNewTab: false }),
      ...lists("backchannelProviders"),
      // The real provider sends `meta_hide` when false too, which servers before 2026.5 do not know.
      ...whenSet("group metaLaunchUrl metaIcon metaDescription metaPublisher metaHide"),
      uuid: { send: "never", json: "pk", computed: true },
      protocolProvider: { send: "null", json: "provider" },
      policyEngineMode: choice("policy_engine_mode", "any", "all"),
    },
  },
  Outpost: {
    path: "/outposts/instances/",
    fields: {
      ...required("name"),
      ...orNull("serviceConnection"),
      type: choice("type", "proxy", "ldap", "radius", "rac"),
      protocolProviders: { list: true, json: "providers" },
      config: { ...object, default: null, computed: true },
    },
  },
  PolicyBinding: {
    path: "/policies/bindings/",
    fields: {
      ...required("target"),
      ...orNull("policy user group"),
      ...defaults({ order: 0, negate: false, enabled: true, timeout: 30, failureResult: false }),
    },
  },
  PolicyExpression: {
    path: "/policies/expression/",
    fields: { ...required("name"), ...defaults({ executionLogging: false }), expression: code },
  },
  Blueprint: {
    path: "/managed/blueprints/",
    fields: { ...required("name"), ...defaults({ enabled: true }), ...whenSet("path content"), context: object },
  },
  Token: {
    path: "/core/tokens/",
    key: "identifier",
    fields: {
      ...required("identifier user"),
      ...whenSet("description"),
      intent: choice("intent", "api", "verification", "recovery", "app_password"),
      expiring: { default: true, unread: true },
      expires: { send: "set", unread: true },
      retrieveKey: { send: "never", default: false, unread: true },
      key: { send: "never", output: true, secret: true },
      expiresIn: { send: "never", output: true },
    },
  },
};

function validateDuration(value: Value): string | undefined {
  const units = /^(microseconds|milliseconds|seconds|minutes|hours|days|weeks)$/i;
  for (const element of asText(value).split(";")) {
    const [unit = "", ...amount] = element.split("=");
    if (amount.length === 0) return `${element} has incorrect amount of elements`;
    if (!units.test(unit)) return `${element} has incorrect key ${unit}`;
  }
  return undefined;
}

function validateJson(value: Value): string | undefined {
  try {
    JSON.parse(asText(value));
    return undefined;
  } catch {
    return "it is not JSON text; write it with JSON.stringify";
  }
}

/** The real plugin crashes on these without an error message. */
function validateRedirects(value: Value): string | undefined {
  const complete = (value as Values[]).every((uri) => !isEmpty(uri.matching_mode) && !isEmpty(uri.url));
  return complete ? undefined : "each redirect URI needs matching_mode and url";
}

function sameJson(wanted: Value, current: Value): boolean {
  const parsed = (text: Value): unknown => JSON.parse(asText(text) || "null");
  return isDeepStrictEqual(parsed(wanted), parsed(current));
}

/** The server may drop the last newline of a text. */
function sameCode(wanted: Value, current: Value): boolean {
  return typeof wanted === "string" && wanted.replace(/\n$/, "") === current;
}
