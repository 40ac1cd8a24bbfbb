import assert from "node:assert";
import { createHash } from "node:crypto";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { encodeBase64, hashSync } from "bcryptjs";
import type { Service } from "../../config/settings.ts";
import { protectionOf } from "../../protections/table.ts";
import type { Middleware } from "../plan/types.ts";
import { resolveSecret } from "../secrets.ts";

/**
 * Costs of bcrypt. Traefik hashes the password of every request (pkg/middlewares/auth/basic_auth.go of v3.7.5: concurrent requests share a
 * hash, later ones do not), so that the cost limits the route, and lets everyone who knows the URL use the gateway's CPU (traefik #4791).
 * docs/limits.md has the measurements and the argument.
 */
const COST = { usual: 8, long: 4 };
/** Characters of a long password. 32 random hexadecimal digits have 128 bits, which no number of guesses finds at any cost. */
const LONG_PASSWORD = 32;

interface BasicAuthUsersArgs {
  readonly middleware: Extract<Middleware, { kind: "basic-auth" }>;
  readonly services: readonly Service[];
}

/** Registers the Secret with user name and hash of one basic service, in the namespace of the middleware that checks them. */
export function basicAuthUsers(
  name: string,
  { middleware, services }: BasicAuthUsersArgs,
  opts: pulumi.CustomResourceOptions,
): k8s.core.v1.Secret {
  const service = services.find((candidate) => candidate.name === middleware.service);
  const credentials = service && protectionOf(service.type).credentials?.(service);
  assert(credentials, `no service with a password is named "${middleware.service}"`);
  const users = resolveSecret(credentials.password).apply((password) =>
    htpasswdLine(credentials.username, password, `${pulumi.getStack()}/${service.name}`),
  );
  const metadata = { name: middleware.name, namespace: middleware.namespace };
  return new k8s.core.v1.Secret(`${name}-users`, { metadata, stringData: { users } }, opts);
}

/**
 * Returns one htpasswd line, the same on every run: bcrypt with a salt derived from the owner, because a random salt would change on every preview.
 * The line contains the salt, so a salt derived from the password would be a fast hash of it, with which guesses cost no bcrypt.
 * @param owner stack and service of the password, e.g. `dev/legacy`
 */
export function htpasswdLine(username: string, password: string, owner: string): string {
  const cost = [...password].length < LONG_PASSWORD ? COST.usual : COST.long;
  const salt = createHash("sha256").update(`gatehouse basic auth ${owner}`).digest().subarray(0, 16);
  return `${username}:${hashSync(password, `$2b$${String(cost).padStart(2, "0")}$${encodeBase64(salt, 16)}`)}`;
}
