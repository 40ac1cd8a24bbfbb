/** One username and password, checked by the gateway. */
import { z } from "zod";
import { secret, text } from "../config/schema/fields.ts";
import type { TraefikMiddleware } from "../infra/gateway/traefik.ts";
import { dnsLabel } from "../infra/plan/dnsLabel.ts";
import { type Entry, entryFields } from "./entry.ts";
import { WRONG_PASSWORD } from "./expectation.ts";
import type { Protection } from "./protection.ts";

const schema = z.strictObject({
  type: z.literal("basic").describe("One username and password, checked by the gateway."),
  ...entryFields,
  basic_auth: z
    .strictObject({
      username: text(
        /^[^:#\s][^:\s]*$/,
        "a username without : and spaces that does not start with #",
        "change it",
      ).describe("Username for the service."),
      password: secret().describe("Password, as a ${VARIABLE}."),
    })
    .describe("Credentials of the service."),
});

type BasicService = Entry<typeof schema>;

export const basic = {
  schema,
  gateway: {
    name: "basic-auth",
    headers: ["X-idp-username"],
    hasBackgroundRule: false,
    middlewares: (_, { name }) => [{ name: dnsLabel(name, "basic-auth"), kind: "basic-auth", service: name }],
  },
  usesIdentityProvider: false,
  audience: { name: "password", text: "users with the password" },
  strength: () => 1,
  credentials: ({ basicAuth }) => basicAuth,
  expectation: ({ entry }) => ({
    page: {
      kind: "status",
      status: 401,
      header: { label: "realm", name: "www-authenticate", value: `Basic realm="${entry}"` },
    },
    refusals: [{ name: "with a wrong password", headers: { authorization: WRONG_PASSWORD }, status: 401 }],
    signIn: "password",
  }),
} satisfies Protection<BasicService>;

/** Returns `spec` of the middleware. @param secret name of the Secret with the users */
export function basicAuthSpec<T>(secret: T, realm: string): TraefikMiddleware<T> {
  // The application receives the username, never the password. Traefik sets the header as it is spelled here, and the access log keeps the canonical
  // spelling only (docs/observability.md).
  return { basicAuth: { secret, realm, headerField: "X-Idp-Username", removeHeader: true } };
}
