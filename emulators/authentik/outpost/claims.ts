import { z } from "zod";
import type { Fields } from "../objects.ts";

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");
const texts = z
  .array(z.string())
  .nullish()
  .transform((value) => value ?? []);
const object = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((value) => value ?? {});

const schema = z.object({
  sub: text,
  email: text,
  name: text,
  preferred_username: text,
  sid: text,
  groups: texts,
  entitlements: texts,
  exp: z
    .int()
    .nullish()
    .transform((value) => value ?? 0),
  ak_proxy: z
    .object({
      user_attributes: object,
      is_superuser: z.boolean().nullish(),
    })
    .nullish()
    .transform((value) => value ?? { user_attributes: {} }),
});

/** What an outpost keeps of a token. */
export type Claims = z.infer<typeof schema> & { raw_token: string };

/** Reads a token's payload. @throws Error for a claim of another type, which makes the outpost refuse the whole token */
export function claimsOf(payload: Fields, raw_token: string): Claims {
  return { ...schema.parse(payload), raw_token };
}
