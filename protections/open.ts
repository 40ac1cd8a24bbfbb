/** No protection: hosts that the stack adds, such as the data API. Everyone is admitted. */
import type { Protection } from "./protection.ts";

export const open = {
  usesIdentityProvider: false,
  audience: { name: "everyone", text: "everyone" },
  strength: () => 0,
  expectation: () => ({ page: { kind: "status", status: 200 }, refusals: [], signIn: undefined }),
} satisfies Protection;
