import type { Fields } from "../objects.ts";

/** What an outpost keeps of a token. */
export type Claims = {
  sub: string;
  exp: number;
  email: string;
  name: string;
  preferred_username: string;
  groups: string[];
  entitlements: string[];
  sid: string;
  ak_proxy: { user_attributes: Fields; is_superuser: boolean };
  raw_token: string;
};

/** Reads a token's payload. Throws for a claim of another type, which makes the outpost refuse the whole token. */
export function claimsOf(payload: Fields, raw_token: string): Claims {
  const read = <T>(from: Fields, name: string, empty: T, fits: (value: unknown) => boolean): T => {
    const value = from[name] ?? empty;
    if (!fits(value)) throw new Error(`cannot read the claim ${name}`);
    return value as T;
  };
  const isText = (value: unknown) => typeof value === "string";
  const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
  const text = (name: string) => read(payload, name, "", isText);
  const list = (name: string) =>
    read<string[]>(payload, name, [], (value) => Array.isArray(value) && value.every(isText));
  const proxy = read<Fields>(payload, "ak_proxy", {}, isObject);
  return {
    sub: text("sub"),
    exp: read(payload, "exp", 0, Number.isInteger),
    email: text("email"),
    name: text("name"),
    preferred_username: text("preferred_username"),
    groups: list("groups"),
    entitlements: list("entitlements"),
    sid: text("sid"),
    ak_proxy: {
      user_attributes: read<Fields>(proxy, "user_attributes", {}, isObject),
      is_superuser: read(proxy, "is_superuser", false, (value) => typeof value === "boolean"),
    },
    raw_token,
  };
}
