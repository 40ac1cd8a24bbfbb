/** Forward authentication in front of an application that reads the identity headers. */
import { z } from "zod";
import { applicationFields, type Entry, entryFields } from "./entry.ts";
import { FORWARD_AUTH_EXPECTATION, forwardAuth } from "./forwardAuth.ts";
import type { Protection } from "./protection.ts";

const schema = z.strictObject({
  type: z.literal("proxy").describe("Forward authentication."),
  ...entryFields,
  ...applicationFields,
});

type ProxyService = Entry<typeof schema>;

export const proxy = {
  schema,
  gateway: forwardAuth,
  usesIdentityProvider: true,
  strength: () => 3,
  expectation: () => FORWARD_AUTH_EXPECTATION,
} satisfies Protection<ProxyService>;
