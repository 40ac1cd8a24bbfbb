import { createPrivateKey, randomUUID } from "node:crypto";
import jwt from "jsonwebtoken";
import { keyId } from "./certificate.ts";
import { recordToken } from "./issuedTokens.ts";
import { log } from "./log.ts";
import { issuerOf } from "./issuer.ts";
import { mappingsOf } from "./mappings.ts";
import type { Application, Binding, Fields, Kinds, Provider, User } from "./objects.ts";
import { seconds } from "./duration.ts";
import { directGroups, inheritedGroups, isSuperuser, uidOf } from "./users.ts";
import { loadPython } from "./python.ts";
import type { Python } from "./python.ts";
import type { Store } from "./store.ts";

type Grant = {
  provider: Provider;
  user: User;
  scopes: string[];
  origin: string;
  sessionId?: string | undefined;
};

/** The user of requests without a login. */
const ANONYMOUS: User = {
  pk: 0,
  uuid: randomUUID(),
  username: "AnonymousUser",
  name: "",
  email: "",
  type: "internal",
  is_active: true,
  groups: [],
  attributes: {},
  password: "",
  password_change_date: "",
  last_login: null,
};
const DEFAULT_CLAIMS = ["sub", "iss", "aud", "exp", "iat", "auth_time", "acr", "amr", "nonce"];

/** Turns users into claims, by the scope mappings of a provider, and decides by policies what they may access: both are Python. */
export class Claims {
  readonly #store: Store;
  readonly #secretKey: string;
  #python: Python | undefined;

  constructor(store: Store, secretKey: string) {
    this.#store = store;
    this.#secretKey = secretKey;
  }

  /** Starts Python; until then `of` throws, and `mayAccess` where it has to evaluate a policy. */
  async load(): Promise<void> {
    this.#python = await loadPython({
      log: (level, message, fields) => log(level, message, JSON.parse(fields) as Fields),
      create_jwt: (pk, name, scopes, validity, origin) => {
        const user = pk === ANONYMOUS.pk ? ANONYMOUS : this.#store.get("user", pk);
        const provider = this.#store.find("provider", { name, model: "oauth2" });
        if (user && provider) {
          const token = this.mint({ user, provider, scopes: JSON.parse(scopes) as string[], origin }, validity);
          recordToken(this.#store, provider, token, seconds(validity));
          return token;
        }
        log("warning", "ak_create_jwt: no such OAuth2 provider", { provider: name });
        return undefined;
      },
    });
  }

  /** Returns the syntax error of an expression, undefined without one; also before Python is started. @param name of the mapping or policy */
  syntaxError(expression: string, name: string): string | undefined {
    return this.#python?.syntaxError({ expression, name }) ?? undefined;
  }

  /** The merged results of the provider's mappings whose scope was granted. A failing mapping is logged and left out. */
  of({ provider, user, scopes, origin, sessionId }: Grant): Fields {
    const mappings = mappingsOf(this.#store, provider).filter((mapping) => scopes.includes(mapping.scope_name));
    return this.#evaluate(mappings, user, provider, origin, { scope: scopes, session_id: sessionId ?? null });
  }

  /**
   * The claims that the discovery document lists. authentik finds them by evaluating every mapping for its anonymous user, without a token: for
   * each such document, and for each provider whenever an outpost reads its configuration (authentik/providers/oauth2/views/provider.py,
   * `get_claims`).
   */
  supported(provider: Provider, origin: string): string[] {
    const claims = this.#evaluate(mappingsOf(this.#store, provider), ANONYMOUS, provider, origin);
    return [...new Set([...DEFAULT_CLAIMS, ...Object.keys(claims)])];
  }

  #evaluate(mappings: Kinds["mapping"][], user: User, provider: Provider, origin: string, token?: Fields): Fields {
    const { pk, name, access_token_validity } = provider;
    return this.#loaded().claims({
      mappings,
      user: this.#describe(user),
      http: { host: new URL(origin).host, origin },
      provider: { pk, name, access_token_validity },
      token,
    });
  }

  /** Whether the bindings of an application let a user in. No enabled binding = everyone. A policy that fails denies access. */
  mayAccess(application: Application, user: User): boolean {
    const bindings = this.#store.list("binding").filter(({ target, enabled }) => target === application.pk && enabled);
    if (bindings.length === 0) return true;
    const groups = inheritedGroups(this.#store, user).map((group) => group.pk);
    const passes = (binding: Binding): boolean => {
      const policy = this.#store.get("policy", binding.policy);
      // A binding can have a group next to a policy, and both admit (docs/authentik.md, REST API).
      return (
        (policy !== undefined && this.#loaded().passes({ policy, user: this.#describe(user) })) ||
        (binding.group !== null && groups.includes(binding.group)) ||
        binding.user === user.pk
      );
    };
    const results = bindings.map((binding) => passes(binding) !== binding.negate);
    return application.policy_engine_mode === "all" ? results.every(Boolean) : results.some(Boolean);
  }

  #loaded(): Python {
    if (!this.#python) throw new Error("Python is not loaded yet");
    return this.#python;
  }

  /** Returns the `sub` of a user at a provider. */
  subject(provider: Provider, user: User): string {
    const byMode: Record<string, string> = {
      user_id: String(user.pk),
      user_uuid: user.uuid,
      user_username: user.username,
      user_email: user.email,
      user_upn: typeof user.attributes["upn"] === "string" ? user.attributes["upn"] : uidOf(user, this.#secretKey),
    };
    return byMode[provider.sub_mode] ?? uidOf(user, this.#secretKey);
  }

  /** A signed access token of a provider, outside of any login. `validity` in authentik's spelling. */
  mint(grant: Grant, validity: string): string {
    const { provider, user, scopes, origin } = grant;
    const now = Math.floor(Date.now() / 1000);
    const payload = {
      iss: issuerOf(this.#store, provider, origin),
      sub: this.subject(provider, user),
      aud: provider.client_id,
      azp: provider.client_id,
      iat: now,
      auth_time: now,
      exp: now + seconds(validity),
      uid: randomUUID().replaceAll("-", ""),
      scope: scopes.join(" "),
      ...(provider.include_claims_in_id_token ? this.of(grant) : {}),
    };
    const key = this.#store.get("keypair", provider.signing_key)?.key_data;
    return key
      ? jwt.sign(payload, key, { algorithm: algorithmOf(key), keyid: keyId(key) })
      : jwt.sign(payload, provider.client_secret, { algorithm: "HS256" });
  }

  #describe(user: User): Fields {
    const { pk, uuid, username, name, email, is_active, type, attributes } = user;
    const groups = (list: Kinds["group"][]) => list.map((group) => ({ ...group, id: group.pk }));
    return {
      pk,
      uuid,
      username,
      name,
      email,
      is_active,
      type,
      attributes,
      uid: uidOf(user, this.#secretKey),
      is_superuser: isSuperuser(this.#store, user),
      groups: groups(directGroups(this.#store, user)),
      inherited: groups(inheritedGroups(this.#store, user)),
    };
  }
}

/** Returns the JWS algorithm with which a private key in PEM signs. */
export function algorithmOf(keyPem: string): "RS256" | "ES256" {
  return createPrivateKey(keyPem).asymmetricKeyType === "ec" ? "ES256" : "RS256";
}
